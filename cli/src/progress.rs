//! What is said while an operation runs: a bar on a terminal, single lines for what matters, and nothing else.

use crate::ui::Ui;
use crate::view::words;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pintle_registry::operations::context::Event;
use pintle_registry::store::Recovered;
use std::sync::Mutex;

/// The bar, if one is shown.
pub(crate) struct Progress {
    bar: Mutex<Option<ProgressBar>>,
    shown: bool,
}

impl Progress {
    pub(crate) fn new(ui: &Ui) -> Self {
        Self { bar: Mutex::new(None), shown: ui.progress }
    }

    /// Shows an event.
    pub(crate) fn event(&self, ui: &Ui, event: Event) {
        match event {
            Event::Waiting(waiting) => self.aside(|| ui.status("Waiting", format_args!("for {waiting}"))),
            Event::Recovered(Recovered::Finished { generation }) => self.aside(|| {
                ui.note(format_args!(
                    "finished the change to generation {generation}, which had been interrupted"
                ));
            }),
            Event::Recovered(Recovered::Dropped { generation }) => self.aside(|| {
                ui.note(format_args!(
                    "dropped what an interrupted command had begun (generation {generation})"
                ));
            }),
            Event::Resolving => self.spin("resolving"),
            Event::Fetching { bytes, .. } => self.measure(bytes),
            Event::Fetched { name, version, bytes } => {
                self.advance(bytes);
                self.aside(|| ui.detail(format_args!("unpacked {name} {version}")));
            }
            Event::Committing => self.end(),
            Event::SetAside(path) => self.aside(|| {
                ui.warning(format_args!(
                    "`{}` stood where a release belongs and is none; it was moved there",
                    path.display()
                ));
            }),
            Event::Cache(text) => self.aside(|| ui.warning(text)),
            Event::Traffic { registry, requests, bytes } => {
                self.aside(|| {
                    let requests =
                        words::count(requests.try_into().unwrap_or(usize::MAX), "request", "requests");
                    ui.detail(format_args!("registry {registry}: {requests}, {bytes} bytes"));
                });
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }

    /// Prints a line without tearing the bar.
    fn aside(&self, print: impl FnOnce()) {
        let bar = self.bar.lock().ok().and_then(|bar| bar.clone());
        match bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn spin(&self, what: &'static str) {
        if !self.shown {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        bar.set_message(what);
        self.put(bar);
    }

    fn measure(&self, bytes: u64) {
        if !self.shown {
            return;
        }
        let style = ProgressStyle::with_template("{bar:30} {decimal_bytes}/{decimal_total_bytes}");
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.put(bar);
    }

    fn put(&self, bar: ProgressBar) {
        self.end();
        if let Ok(mut slot) = self.bar.lock() {
            *slot = Some(bar);
        }
    }

    fn advance(&self, bytes: u64) {
        if let Ok(bar) = self.bar.lock()
            && let Some(bar) = bar.as_ref()
        {
            bar.inc(bytes);
        }
    }
}
