//! A value of JSON, read once more by a type that it does not fit, to learn at which key and in which words. Slow, and
//! only for what could not be read.

use super::words::Wrong;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, map};

/// A value that is read.
pub(super) struct Node<'de>(pub &'de Value);

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(one) => visitor.visit_bool(*one),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(one), _, _) => visitor.visit_u64(one),
                (None, Some(one), _) => visitor.visit_i64(one),
                (None, None, one) => visitor.visit_f64(one.unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items { items: items.iter(), at: 0 }),
            Value::Object(map) => visitor.visit_map(Entries::of(map)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(Variant { word, value: None }),
            Value::Object(map) if map.len() == 1 => {
                let (word, value) = map.iter().next().expect("it has one");
                visitor.visit_enum(Variant { word, value: Some(value) }).map_err(|wrong| wrong.below(word))
            }
            _ => Err(Wrong::custom("one word, or one key with a table, belongs here")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The items of a list.
struct Items<'de> {
    items: std::slice::Iter<'de, Value>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Wrong;
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let at = self.at.to_string();
        self.at += 1;
        seed.deserialize(Node(item)).map(Some).map_err(|wrong| wrong.below(&at))
    }
}

/// The keys and values of a table.
struct Entries<'de> {
    entries: map::Iter<'de>,
    open: Option<(&'de str, &'de Value)>,
}

impl<'de> Entries<'de> {
    fn of(map: &'de Map<String, Value>) -> Self {
        Self { entries: map.iter(), open: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Wrong;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.open = Some((key, value));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Wrong> {
        let (key, value) = self.open.take().ok_or_else(|| Wrong::custom("a value has no key"))?;
        seed.deserialize(Node(value)).map_err(|wrong| wrong.below(key))
    }
}

/// A word, with what belongs to it.
struct Variant<'de> {
    word: &'de str,
    value: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Wrong;
    type Variant = Self;
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Wrong> {
        let word: StrDeserializer<'_, Wrong> = StrDeserializer::new(self.word);
        seed.deserialize(word).map(|found| (found, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Wrong;
    fn unit_variant(self) -> Result<(), Wrong> {
        match self.value {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Wrong::custom("nothing belongs to this word")),
        }
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Wrong> {
        seed.deserialize(Node(self.value.unwrap_or(&Value::Null)))
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        Node(self.value.unwrap_or(&Value::Null)).deserialize_any(visitor)
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self.value {
            Some(Value::Object(map)) => {
                Deserializer::deserialize_any(MapAccessDeserializer::new(Entries::of(map)), visitor)
            }
            Some(_) | None => Err(Wrong::invalid_type(Unexpected::Unit, &"a table")),
        }
    }
}
