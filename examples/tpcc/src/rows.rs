//! The rows of the nine tables (TPC-C 5.11, clause 1.3), each of one fixed length: text is padded with zeros.
//!
//! Money is in cents, rates in hundredths of a percent, dates are the number of the transaction that set them
//! (0: none).

use crate::key::Key;

/// A row of fixed length.
pub trait Row: Sized {
    /// Its bytes.
    const BYTES: usize;
    /// Table, for messages.
    const TABLE: &'static str;

    /// Writes it to the start of `out`.
    ///
    /// # Panics
    /// If `out` is shorter than [`Row::BYTES`].
    fn encode(&self, out: &mut [u8]);

    /// Reads it from the start of `bytes`.
    ///
    /// # Panics
    /// If `bytes` is shorter than [`Row::BYTES`].
    fn decode(bytes: &[u8]) -> Self;
}

/// A row with a primary key. HISTORY, which has none in TPC-C, has its date, and the customer.
pub trait Keyed: Row {
    /// Bytes of its primary key.
    const KEY_BYTES: usize;

    /// Its primary key.
    fn key(&self) -> Key;
}

trait Field: Sized {
    const BYTES: usize;
    fn put(&self, out: &mut [u8]);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! number_fields {
    ($($number:ty),*) => {$(
        impl Field for $number {
            const BYTES: usize = size_of::<$number>();
            fn put(&self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                Self::from_le_bytes(std::array::from_fn(|i| bytes[i]))
            }
        }
    )*};
}

number_fields!(u8, u16, u32, u64, i64);

impl<const N: usize> Field for [u8; N] {
    const BYTES: usize = N;
    fn put(&self, out: &mut [u8]) {
        out.copy_from_slice(self);
    }
    fn get(bytes: &[u8]) -> Self {
        std::array::from_fn(|i| bytes[i])
    }
}

/// A struct of fields that follow each other without gaps.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $kind,)* }

        impl Row for $name {
            const BYTES: usize = 0 $(+ <$kind as Field>::BYTES)*;
            const TABLE: &'static str = stringify!($name);

            fn encode(&self, out: &mut [u8]) {
                let mut rest = out;
                $(
                    let (field, after) = rest.split_at_mut(<$kind as Field>::BYTES);
                    self.$field.put(field);
                    rest = after;
                )*
                let _ = rest;
            }

            fn decode(bytes: &[u8]) -> Self {
                let mut rest = bytes;
                $(
                    let ($field, after) = rest.split_at(<$kind as Field>::BYTES);
                    let $field = <$kind as Field>::get($field);
                    rest = after;
                )*
                let _ = rest;
                $name { $($field,)* }
            }
        }
    };
}

row! {
    /// Where somebody is.
    Address {
        /// Street.
        street_1: [u8; 20],
        /// Street, second line.
        street_2: [u8; 20],
        /// City.
        city: [u8; 20],
        /// State.
        state: [u8; 2],
        /// Postal code.
        zip: [u8; 9],
    }
}

impl Field for Address {
    const BYTES: usize = <Address as Row>::BYTES;
    fn put(&self, out: &mut [u8]) {
        self.encode(out);
    }
    fn get(bytes: &[u8]) -> Self {
        Address::decode(bytes)
    }
}

row! {
    /// WAREHOUSE.
    Warehouse {
        /// W_ID, from 1.
        id: u32,
        /// W_NAME.
        name: [u8; 10],
        /// W_STREET_1 to W_ZIP.
        address: Address,
        /// W_TAX, hundredths of a percent.
        tax: u16,
        /// W_YTD, cents.
        ytd: i64,
    }
}

row! {
    /// DISTRICT.
    District {
        /// D_W_ID.
        warehouse: u32,
        /// D_ID, 1 to 10.
        id: u8,
        /// D_NAME.
        name: [u8; 10],
        /// D_STREET_1 to D_ZIP.
        address: Address,
        /// D_TAX, hundredths of a percent.
        tax: u16,
        /// D_YTD, cents.
        ytd: i64,
        /// D_NEXT_O_ID.
        next_order: u32,
    }
}

row! {
    /// CUSTOMER.
    Customer {
        /// C_W_ID.
        warehouse: u32,
        /// C_D_ID.
        district: u8,
        /// C_ID, from 1.
        id: u32,
        /// C_FIRST.
        first: [u8; 16],
        /// C_MIDDLE.
        middle: [u8; 2],
        /// C_LAST.
        last: [u8; 16],
        /// C_STREET_1 to C_ZIP.
        address: Address,
        /// C_PHONE.
        phone: [u8; 16],
        /// C_SINCE.
        since: u64,
        /// C_CREDIT: GC or BC.
        credit: [u8; 2],
        /// C_CREDIT_LIM, cents.
        credit_limit: i64,
        /// C_DISCOUNT, hundredths of a percent.
        discount: u16,
        /// C_BALANCE, cents.
        balance: i64,
        /// C_YTD_PAYMENT, cents.
        ytd_payment: i64,
        /// C_PAYMENT_CNT.
        payments: u16,
        /// C_DELIVERY_CNT.
        deliveries: u16,
        /// C_DATA.
        data: [u8; 500],
    }
}

row! {
    /// HISTORY.
    History {
        /// H_C_ID.
        customer: u32,
        /// H_C_D_ID.
        customer_district: u8,
        /// H_C_W_ID.
        customer_warehouse: u32,
        /// H_D_ID.
        district: u8,
        /// H_W_ID.
        warehouse: u32,
        /// H_DATE.
        date: u64,
        /// H_AMOUNT, cents.
        amount: i64,
        /// H_DATA.
        data: [u8; 24],
    }
}

row! {
    /// NEW-ORDER.
    NewOrder {
        /// NO_W_ID.
        warehouse: u32,
        /// NO_D_ID.
        district: u8,
        /// NO_O_ID.
        order: u32,
    }
}

row! {
    /// ORDER.
    Order {
        /// O_W_ID.
        warehouse: u32,
        /// O_D_ID.
        district: u8,
        /// O_ID.
        id: u32,
        /// O_C_ID.
        customer: u32,
        /// O_ENTRY_D.
        entered: u64,
        /// O_CARRIER_ID, 0 until it is delivered.
        carrier: u8,
        /// O_OL_CNT.
        lines: u8,
        /// O_ALL_LOCAL: 1 where all items come from the home warehouse.
        all_local: u8,
    }
}

row! {
    /// ORDER-LINE.
    OrderLine {
        /// OL_W_ID.
        warehouse: u32,
        /// OL_D_ID.
        district: u8,
        /// OL_O_ID.
        order: u32,
        /// OL_NUMBER, from 1.
        number: u8,
        /// OL_I_ID.
        item: u32,
        /// OL_SUPPLY_W_ID.
        supplier: u32,
        /// OL_DELIVERY_D, 0 until it is delivered.
        delivered: u64,
        /// OL_QUANTITY.
        quantity: u8,
        /// OL_AMOUNT, cents.
        amount: i64,
        /// OL_DIST_INFO.
        district_info: [u8; 24],
    }
}

row! {
    /// ITEM.
    Item {
        /// I_ID, from 1.
        id: u32,
        /// I_IM_ID.
        image: u32,
        /// I_NAME.
        name: [u8; 24],
        /// I_PRICE, cents.
        price: i64,
        /// I_DATA.
        data: [u8; 50],
    }
}

row! {
    /// STOCK.
    Stock {
        /// S_W_ID.
        warehouse: u32,
        /// S_I_ID.
        item: u32,
        /// S_QUANTITY.
        quantity: i64,
        /// S_DIST_01 to S_DIST_10, 24 bytes each.
        districts: [u8; 240],
        /// S_YTD.
        ytd: u64,
        /// S_ORDER_CNT.
        orders: u32,
        /// S_REMOTE_CNT.
        remote_orders: u32,
        /// S_DATA.
        data: [u8; 50],
    }
}

macro_rules! keyed {
    ($($name:ident $bytes:literal: $($part:ident as $append:ident),+;)*) => {$(
        impl Keyed for $name {
            const KEY_BYTES: usize = $bytes;
            fn key(&self) -> Key {
                Key::new()$(.$append(self.$part))+
            }
        }
    )*};
}

keyed! {
    Warehouse 4: id as u32;
    District 5: warehouse as u32, id as u8;
    History 17: warehouse as u32, district as u8, date as u64, customer as u32;
    Customer 9: warehouse as u32, district as u8, id as u32;
    NewOrder 9: warehouse as u32, district as u8, order as u32;
    Order 9: warehouse as u32, district as u8, id as u32;
    OrderLine 10: warehouse as u32, district as u8, order as u32, number as u8;
    Item 4: id as u32;
    Stock 8: warehouse as u32, item as u32;
}

/// Bytes of a key of the index of customers by name.
pub const NAME_KEY_BYTES: usize = 41;
/// Bytes of a key of the index of orders by customer.
pub const ORDER_OF_CUSTOMER_KEY_BYTES: usize = 13;

/// All customers of a district with this last name begin so in the index by name, and follow by first name.
pub fn name_prefix(warehouse: u32, district: u8, last: &[u8; 16]) -> Key {
    Key::new().u32(warehouse).u8(district).text(last)
}

/// A customer's key in the index by name.
pub fn name_key(customer: &Customer) -> Key {
    name_prefix(customer.warehouse, customer.district, &customer.last).text(&customer.first).u32(customer.id)
}

/// All orders of a customer begin so in the index by customer, and follow from the latest on.
pub fn customer_prefix(warehouse: u32, district: u8, customer: u32) -> Key {
    Key::new().u32(warehouse).u8(district).u32(customer)
}

/// An order's key in the index by customer.
pub fn order_of_customer_key(order: &Order) -> Key {
    customer_prefix(order.warehouse, order.district, order.customer).u32(u32::MAX - order.id)
}
