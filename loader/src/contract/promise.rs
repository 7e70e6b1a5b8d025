//! The contract with its types compiled.

use jsonschema::Validator;
use pintle_manifest::{Call, Contract, Hook};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A contract, ready to be enforced. Each of its types is compiled once.
#[derive(Debug, Clone)]
pub struct Promise {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    contract: Contract,
    validators: BTreeMap<String, OnceLock<Result<Validator, String>>>,
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
        let promise = Self::of_tested(contract);
        for name in promise.inner.validators.keys() {
            if let Some(Err(reason)) = promise.validator(name) {
                let contract = promise.inner.contract.name.to_string();
                return Err(ContractError::Type { contract, name: name.clone(), reason: reason.clone() });
            }
        }
        Ok(promise)
    }

    /// Takes a contract that a test of its host has compiled, and compiles each type when it is first used: a host that
    /// calls no one pays for none. A type that is no JSON Schema after all accepts no value.
    pub fn of_tested(contract: Contract) -> Self {
        let validators = contract.types.keys().map(|name| (name.clone(), OnceLock::new())).collect();
        Self { inner: Arc::new(Inner { contract, validators }) }
    }

    fn validator(&self, name: &str) -> Option<&Result<Validator, String>> {
        let cell = self.inner.validators.get(name)?;
        Some(cell.get_or_init(|| {
            let schema = self.inner.contract.schema(name).unwrap_or_default();
            jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())
        }))
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
        let validator = match self.validator(type_name) {
            Some(Ok(validator)) => validator,
            Some(Err(reason)) => {
                return Err(invalid("/".to_owned(), format!("the type is no JSON Schema: {reason}")));
            }
            None => return Err(invalid("/".to_owned(), "the contract has no such type".to_owned())),
        };
        validator.validate(value).map_err(|error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "/".to_owned() } else { place };
            // A value can be as long as a frame; what is said of it is not.
            invalid(place, error.to_string().chars().take(300).collect())
        })
    }
}
