//! Lines as people and programs write them all day. None of them may be asked about.

use crate::world::World;

/// Lines that lose nothing, in a repository with nothing uncommitted in it.
const EVERYDAY: &str = r##"
cargo build --release
cargo test && cargo clippy
for f in *.txt; do wc -l "$f"; done
X=$(mktemp -d)
$EDITOR file
"$EDITOR" file
"$HOME/bin/tool" x
~/bin/tool x
$HOME/.cargo/bin/cargo build
npm ci && npm test
npm run build -- --prod
npx eslint .
npx tsc --noEmit
yarn add react
pnpm install
git push
git push origin main
git push -u origin HEAD
git checkout branch
git checkout -b feature/x
git fetch && git checkout main
git pull --rebase
git add -A && git commit -m "rm -rf old; git reset --hard"
git commit -am 'wip' && git push
git log --oneline | head -5
git diff HEAD~1 -- src
git stash && git pull && git stash pop
git tag v1.0 && git push --tags
git worktree add ../x main
git remote add origin git@github.com:a/b.git
git config user.name Ada
git rebase main
git merge --no-ff feature
git branch -d old
git cherry-pick abc123
git submodule update --init --recursive
git clone https://github.com/a/b && cd b && make
rm file
rm -i file
rm *.tmp
docker build -t x .
docker run --rm -it -v "$PWD:/w" image make
docker compose up -d
docker rm -f box
docker exec web ls
docker ps -q | xargs docker stop
docker system prune -f
kubectl get pods -o wide
kubectl delete pod x
make -j"$(nproc)"
make CC=clang all
make clean
CC=clang CFLAGS="-O2 -g" make
./configure --prefix="$HOME/.local" && make && make install
python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt
source venv/bin/activate
python -m pytest -x
python script.py --force
node -e 'console.log(1)'
go test ./...
mvn -q package
./gradlew build
find . -name '*.rs' | xargs wc -l
find . -type f -name '*.py' -exec grep -l foo {} +
find . -name '*.sh' -exec chmod +x {} \;
grep -rn "rm -rf" .
rg 'git push --force' docs
sed -i 's/a/b/' file
awk '{print $1}' file | sort | uniq -c | sort -rn
cat file | while read -r line; do echo "$line"; done
while read -r f; do echo "$f"; done < list
if [ -f a ]; then cat a; else touch a; fi
case "$1" in start) ./run.sh;; stop) pkill x;; esac
for i in 1 2 3; do curl -s "http://localhost:$i" || echo fail; done
for d in */; do (cd "$d" && git status); done
for d in */; do (cd "$d" && git pull); done
for t in target/debug/deps/test-*; do "$t"; done
tar czf x.tgz src
tar xf x.tgz -C /tmp
curl -fsSL https://example.org -o x
ssh host uptime
ssh host 'cd /srv && git pull && systemctl restart app'
scp a host:
rsync -a src/ dst/
cp -r a b
mv a b
mkdir -p a/b && touch a/b/c
chmod +x run.sh && ./run.sh
sudo apt-get update && sudo apt-get install -y git curl
sudo systemctl restart nginx
sudo -u postgres psql -c 'select 1'
timeout 60 cargo test
time make
nice -n 10 make
nohup ./server > log 2>&1 &
env RUST_LOG=debug cargo run
RUST_BACKTRACE=1 cargo test
cargo run -- --help
cargo run --example probe < in.txt
watch -n 1 'ls -l'
ps aux | grep node
kill %1
kill -9 "$(pgrep node)"
echo "$PATH" | tr : '\n'
printf '%s\n' "${arr[@]}"
arr=(a b c); for x in "${arr[@]}"; do echo "$x"; done
args=(--release --all); cargo build "${args[@]}"
args=(); [ -n "$X" ] && args+=(--x); make "${args[@]}"
set -euo pipefail; cargo test
set -x; make
trap 'echo done' EXIT; make
trap 'kill $pid' EXIT
f() { echo "$1"; }; f x
f() { cargo test "$@"; }; f --release
alias ll='ls -l'
alias gs='git status'; gs
export PATH="$HOME/bin:$PATH"
export X=1; echo $X
cat > file <<'EOF'⏎rm -rf /⏎EOF
cat <<EOF > run.sh⏎git reset --hard⏎EOF
python3 - <<'EOF'⏎print("rm -rf")⏎EOF
tee file <<< "rm -rf x"
diff <(sort a) <(sort b)
comm -12 <(ls a) <(ls b)
eval "$(ssh-agent -s)" && ssh-add
eval "$(direnv hook bash)"
source <(kubectl completion bash)
cd "$(git rev-parse --show-toplevel)" && make
cd "$dir" && git push
cd "$dir" && make
VERSION=$(git describe --tags); echo "$VERSION"
git push origin "v$VERSION"
git push origin "$(git branch --show-current)"
git checkout -b "feature/$USER"
git commit -m "$(cat msg)"
git add "$f"
git show "$rev:file"
git log --format='%h %s' "$a..$b"
gh pr create --title x --body "git reset --hard is bad"
gh pr checkout 12
jq -r '.a' x.json
ls | parallel gzip
ls *.png | xargs -P4 -n1 optipng
xargs -a list.txt -n1 echo
psql -f schema.sql
sqlite3 x.db 'select * from t'
terraform plan
vim file
code .
$PAGER log
$CC -o x x.c
$MAKE -f Makefile.x all
"$CC" -c a.c
$PYTHON -m pytest
"$PYTHON" -r x
tool=$(command -v python3); "$tool" x.py
strace -f -o t ./x
gdb --args ./x a
valgrind ./x
bash -n script.sh
bash script.sh
sh ./install.sh --prefix /usr
bash -c 'echo hi'
test -d x || mkdir x
[[ $x == y ]] && echo z
exec ./server
command -v rm
type rm
wait; echo done
sleep 5; curl localhost
read -r x; echo "$x"
((i++)); echo $i
i=0; while [ $i -lt 3 ]; do i=$((i+1)); done
brew install git find
apt-get install git
man git checkout
tmux new -s x
screen -r
crontab -l
helm upgrade --install x ./chart
ansible-playbook x.yml
npm install --force
npm rm left-pad
pip uninstall -y x
cargo clean
git rm --cached x
git rm old.txt
git restore --staged .
git reset HEAD file
git reset --soft HEAD~1
git clean -n
git gc
git fsck
git reflog
git stash list
git bisect start
git bisect good
git fetch --prune
git remote prune origin
git tag -l
git switch main
git switch -c new
git checkout -
git mv a b
git update-index --refresh
git ls-files | xargs wc -l
git grep rm
git blame x
git apply x.patch
git format-patch -1
git am x.patch
git archive HEAD | tar x -C /tmp
git submodule foreach git pull
git submodule foreach 'git status'
git rebase --exec 'cargo test' main
git bisect run cargo test
git -C sub status
git -c core.pager=cat log
"##;

#[test]
fn everyday_lines_pass_without_a_question() {
    let world = World::repository();
    world.text("file", "1\n");
    world.text("Makefile", "all:\n");
    world.commit("one");
    world.run(&["branch", "feature"]);
    world.run(&["remote", "add", "origin", "https://example.org/a.git"]);
    let lines: Vec<&str> = EVERYDAY.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() >= 60, "there are {}", lines.len());
    for line in lines {
        // A line break within a line is written as a sign.
        world.check(&line.replace("⏎", "\n"), &[]);
    }
}
