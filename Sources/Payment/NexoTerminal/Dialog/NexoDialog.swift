import Determinism
import Money
import Payments
import Terminal
import Text

/// A message that is carried out.
struct NexoCall: Sendable {
    let number: Int
    let way: NexoRoute.Way
    let header: NexoHeader
    /// The key that it was encrypted with; nil for clear text. Its answer is encrypted with the same one.
    let key: NexoKey?
}

/// A message that the terminal's model works for.
struct NexoDialog: Sendable {
    /// What it is for, with what the answer repeats of the message.
    enum Purpose: Sendable {
        case payment(NexoPayment)
        case reversal(NexoReversal)
        case acquisition(sale: JSONValue)
        case display([JSONValue])
        /// The command, and the device and its use, which the answer repeats.
        case input(TerminalInput, command: String, device: JSONValue, use: JSONValue)
        case print(qualifier: String)
        case totals
        case reconciliation(type: String)
        case diagnosis
    }

    let call: NexoCall
    let key: IdempotencyKey
    let purpose: Purpose
    /// The first half of a transaction's ID, which display notifications have, and its time.
    let tender: String
    let started: Timestamp
}

/// What a PaymentRequest asks for.
struct NexoPayment: Sendable {
    enum Kind: Hashable, Sendable {
        case sale
        /// Gives money to a card that is presented.
        case refund
        /// Holds an amount.
        case reservation
        /// Charges a held amount, or a part of it.
        case completion(of: String)
    }

    let kind: Kind
    let amount: Money
    /// PaymentType, as the till wrote it.
    let type: String
    /// SaleTransactionID of the till.
    let sale: JSONValue
    let receipts: NexoReceiptWish
}

/// What a ReversalRequest asks for.
struct NexoReversal: Sendable {
    /// The transaction that is taken back.
    let original: String
    let amount: Money
    /// OriginalPOITransaction, which the answer repeats.
    let reference: JSONValue
    /// SaleTransactionID of the till; nil without one.
    let sale: JSONValue?
    let receipts: NexoReceiptWish
}

/// Who makes the receipts.
enum NexoReceiptWish: Hashable, Sendable {
    /// The terminal prints them.
    case terminal
    /// The till prints what is in the response (`tenderOption=ReceiptHandler`).
    case till

    /// Reads SaleToAcquirerData: pairs, base64 of a JSON object, or a JSON object.
    init(_ saleData: JSONValue?) {
        let options = NexoText.members(of: saleData?["SaleToAcquirerData"]).first { $0.name == "tenderOption" }
        let words = options?.value.textValue?.split(separator: ",") ?? []
        self = words.contains("ReceiptHandler") ? .till : .terminal
    }
}

/// A transaction that a till can refer to (POITransactionID).
struct NexoTransaction: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case sale
        case hold
        /// A hold that was charged: the charge is a transaction of its own.
        case completed
        /// Money to a customer, which nothing takes back.
        case refund
    }

    let key: IdempotencyKey
    var kind: Kind
    var amount: Money
    /// What was given back, or is about to be, in minor units.
    var returned: Int64 = 0

    var rest: Int64 { amount.minorUnits - returned }
}

/// A message that must not come twice, and its answer.
struct NexoEntry: Sendable {
    let header: NexoHeader
    let date: Timestamp
    /// The name and the value of the response's object; nil while the message is carried out.
    var answer: JSONValue.Member?
}
