//! Filters: the host compares, so that an extension that does not care is not woken.

use super::Subscriber;
use serde_json::Value;

/// Returns the subscribers whose filter the payload passes, in order.
pub(super) fn passing<'a>(subscribers: &'a [Subscriber], payload: &Value) -> Vec<&'a Subscriber> {
    let mut fields = Fields::of(payload);
    subscribers.iter().filter(|subscriber| fields.pass(&subscriber.binding.filter)).collect()
}

/// Tells whether every field that the filter names is there and is that text.
pub(super) fn passes(filter: &[(String, String)], payload: &Value) -> bool {
    Fields::of(payload).pass(filter)
}

/// The fields of a payload. Of many filters most name the same field, so the last one that was looked up is kept.
struct Fields<'p, 'f> {
    payload: &'p Value,
    last: Option<(&'f str, Option<&'p str>)>,
}

impl<'p, 'f> Fields<'p, 'f> {
    const fn of(payload: &'p Value) -> Self {
        Self { payload, last: None }
    }

    fn pass(&mut self, filter: &'f [(String, String)]) -> bool {
        filter.iter().all(|(field, wanted)| self.text(field) == Some(wanted))
    }

    fn text(&mut self, field: &'f str) -> Option<&'p str> {
        match self.last {
            Some((last, text)) if last == field => text,
            Some(_) | None => {
                let text = self.payload.get(field).and_then(Value::as_str);
                self.last = Some((field, text));
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::passes;
    use serde_json::json;

    #[test]
    fn every_named_field_must_be_that_text() {
        let check = |filter: &[(&str, &str)], expected: bool| {
            let filter: Vec<_> =
                filter.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect();
            let payload = json!({ "tool": "bash", "count": 3, "argv": ["rm"] });
            assert_eq!(passes(&filter, &payload), expected, "{filter:?}");
        };
        check(&[], true);
        check(&[("tool", "bash")], true);
        check(&[("tool", "Bash")], false);
        check(&[("tool", "bash"), ("other", "x")], false);
        check(&[("count", "3")], false);
        check(&[("argv", "rm")], false);
        check(&[("tool", "bash"), ("tool", "sh")], false);
        check(&[("tool", "bash"), ("tool", "bash")], true);
    }
}
