//! The contract with its types compiled.

use jsonschema::Validator;
use pintle_manifest::{Call, Contract, Hook};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A contract whose types are compiled, ready to be enforced.
#[derive(Debug, Clone)]
pub struct Promise {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    contract: Contract,
    validators: BTreeMap<String, Validator>,
}

/// Says why a contract can't be enforced.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// A type is no JSON Schema.
    #[error("the type `{name}` of the contract `{contract}` is no JSON Schema: {reason}")]
    Type {
        /// The contract.
        contract: String,
        /// The type.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// What is wrong with a value, for the author of whatever sent it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is not a `{type_name}` at `{place}`: {reason}")]
pub(crate) struct Invalid {
    type_name: String,
    place: String,
    reason: String,
}

impl Promise {
    /// Compiles every type of a contract.
    pub fn compile(contract: Contract) -> Result<Self, ContractError> {
        let definitions: Value =
            contract.types.iter().map(|(name, schema)| (name.clone(), schema.clone())).collect();
        let compile = |name: &String| {
            let schema = json!({ "$ref": format!("#/$defs/{name}"), "$defs": definitions });
            jsonschema::draft202012::new(&schema).map_err(|error| ContractError::Type {
                contract: contract.name.to_string(),
                name: name.clone(),
                reason: error.to_string(),
            })
        };
        let validators = contract
            .types
            .keys()
            .map(|name| Ok((name.clone(), compile(name)?)))
            .collect::<Result<BTreeMap<_, _>, ContractError>>()?;
        Ok(Self { inner: Arc::new(Inner { contract, validators }) })
    }

    /// Returns what is promised.
    pub fn contract(&self) -> &Contract {
        &self.inner.contract
    }

    /// Returns a hook by its name.
    pub(crate) fn hook(&self, name: &str) -> Option<&Hook> {
        self.inner.contract.hooks.get(name)
    }

    /// Returns a call by its name.
    pub(crate) fn call(&self, name: &str) -> Option<&Call> {
        self.inner.contract.calls.get(name)
    }

    /// Checks a value against a type. The first thing that is wrong is said.
    pub(crate) fn check(&self, type_name: &str, value: &Value) -> Result<(), Invalid> {
        let invalid =
            |place: String, reason: String| Invalid { type_name: type_name.to_owned(), place, reason };
        let Some(validator) = self.inner.validators.get(type_name) else {
            return Err(invalid("/".to_owned(), "the contract has no such type".to_owned()));
        };
        validator.validate(value).map_err(|error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "/".to_owned() } else { place };
            // A value can be as long as a frame; what is said of it is not.
            invalid(place, error.to_string().chars().take(300).collect())
        })
    }
}
