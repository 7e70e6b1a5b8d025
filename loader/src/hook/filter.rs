//! Filters: the host compares, so that an extension that does not care is not woken.

use super::Subscriber;
use serde_json::Value;

/// Returns the subscribers whose filter the payload passes, in order.
pub(super) fn passing<'a>(subscribers: &'a [Subscriber], payload: &Value) -> Vec<&'a Subscriber> {
    subscribers.iter().filter(|subscriber| passes(&subscriber.binding.filter, payload)).collect()
}

/// Tells whether every field that the filter names is there and is that text.
pub(super) fn passes(filter: &[(String, String)], payload: &Value) -> bool {
    filter.iter().all(|(field, wanted)| payload.get(field).and_then(Value::as_str) == Some(wanted))
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
    }
}
