import Determinism
import FoundationEssentials
public import GRDB
import Money
public import Payments
import Text

extension PaymentID: DatabaseValueConvertible {}
extension PaymentState: DatabaseValueConvertible {}
extension AttemptState: DatabaseValueConvertible {}
extension PaymentAttempt.Kind: DatabaseValueConvertible {}
extension OrderPaymentNotification.State: DatabaseValueConvertible {}

extension Payment: IdentifiedObject {
    public static let databaseTableName = "payment"
    public static let columnNames =
        ["id", "siteID", "orderID", "amount", "currency", "state", "refundedAmount", "createdAt", "updatedAt"]
        + PreauthorizationColumns.names + PaymentDetailColumns.names
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: PaymentID { id }

    init(
        siteID: Int64, orderID: Int64?, amount: Money, heldUntil: Timestamp? = nil, createdAt: Timestamp
    ) throws(MoneyError) {
        let zero = try Money(minorUnits: 0, currency: amount.currency)
        self.init(
            id: PaymentID(rawValue: 0), siteID: siteID, orderID: orderID, amount: amount, refundedAmount: zero,
            state: PaymentState(lastSale: .created, amount: amount, refunded: zero),
            preauthorization: heldUntil.map { Preauthorization(authorized: amount, expiresAt: $0) },
            createdAt: createdAt, updatedAt: createdAt)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        self.init(
            id: try reader.value("id"), siteID: try reader.value("siteID"), orderID: try reader.optional("orderID"),
            amount: try reader.money("amount"), refundedAmount: try reader.money("refundedAmount"),
            state: try reader.value("state"), requestedAmount: try reader.optionalMoney("requestedAmount"),
            preauthorization: try PreauthorizationColumns.preauthorization(&reader),
            details: try PaymentDetailColumns.details(&reader),
            createdAt: try reader.timestamp("createdAt"), updatedAt: try reader.timestamp("updatedAt"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id.rawValue == 0 ? nil : id,
            siteID,
            orderID,
            amount.minorUnits,
            amount.currency.code,
            state,
            refundedAmount.minorUnits,
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ] + PreauthorizationColumns.values(of: self) + PaymentDetailColumns.values(of: details)
    }

    public mutating func didInsert(rowID: Int64) { id = PaymentID(rawValue: rowID) }
}

/// Payments can be observed like the records of a site, and are never deleted.
extension Payment: ObservableObject {
    public static let keyColumnNames = ["id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<Payment>] = []
    public static let columns = Columns()

    public var keyValues: [any DatabaseValueConvertible] { [id.rawValue] }

    /// The columns to filter and sort by.
    public struct Columns: Sendable {
        public let id = RecordColumn<Int64>("id")
        public let siteID = RecordColumn<Int64>("siteID")
        public let orderID = RecordColumn<Int64>("orderID")
    }
}

/// The columns of ``PaymentDetails`` in the table of payments. All are text; card and host data are uppercase
/// hexadecimal digits. No column takes a card number, a track, a PIN or a key.
private enum PaymentDetailColumns {
    static let names = [
        "brand", "last4", "entryMode", "cvm", "authCode", "aid", "applicationName", "tvr", "tsi", "cryptogram",
        "cryptogramType", "odaMethod", "odaResult", "odaReason", "arc", "hostReference", "atc", "declineReason",
        "errorCode", "errorMessage", "accountType", "issuerApplicationData", "pinTriesLeft",
    ]

    /// The values of the columns, in order.
    static func values(of details: PaymentDetails) -> [(any DatabaseValueConvertible)?] {
        let card = details.card
        return [
            word(card?.brand), card?.lastFour, word(card?.entryMode.rawValue),
            word(card?.cardholderVerification.rawValue), card?.authorizationCode, card?.aid, card?.applicationName,
            card?.terminalVerificationResults, card?.transactionStatusInformation, card?.applicationCryptogram,
            card?.cryptogramType, word(card?.offlineDataAuthentication.rawValue),
            word(card?.offlineDataAuthenticationResult), card?.offlineDataAuthenticationReason,
            card?.authorizationResponseCode, card?.hostReference, card?.applicationTransactionCounter?.hexadecimal,
            details.declineReason?.rawValue, details.errorCode, details.errorMessage.map(PANMasking.masked),
            card?.accountType?.rawValue, card?.issuerApplicationData, card?.pinTriesLeft.map { String($0) },
        ]
    }

    /// Returns a word that is never nil: a column without a value reads as an empty word.
    private static func word(_ word: String?) -> String? { word?.isEmpty == true ? nil : word }

    /// Reads the columns.
    static func details(_ reader: inout RowReader) throws -> PaymentDetails {
        func text(_ column: String) throws -> String? { try reader.optional(column) }
        let (brand, lastFour, entryMode, verification) = (
            try text("brand"), try text("last4"), try text("entryMode"), try text("cvm")
        )
        let (code, aid, applicationName) = (try text("authCode"), try text("aid"), try text("applicationName"))
        let (results, status) = (try text("tvr"), try text("tsi"))
        let (cryptogram, cryptogramType) = (try text("cryptogram"), try text("cryptogramType"))
        let (method, result, reason) = (try text("odaMethod"), try text("odaResult"), try text("odaReason"))
        let (responseCode, hostReference, counter) = (try text("arc"), try text("hostReference"), try text("atc"))
        let (declineReason, errorCode) = (try text("declineReason"), try text("errorCode"))
        let (errorMessage, accountType) = (try text("errorMessage"), try text("accountType"))
        let (issuerData, triesLeft) = (try text("issuerApplicationData"), try text("pinTriesLeft"))
        let ofCard = [
            brand, lastFour, entryMode, verification, code, aid, applicationName, results, status, cryptogram,
            cryptogramType, method, result, reason, responseCode, hostReference, counter, accountType, issuerData,
            triesLeft,
        ]
        // Without a value in any column of the card, no card was read.
        let card =
            ofCard.allSatisfy { $0 == nil }
            ? nil
            : CardDetails(
                brand: brand ?? "", lastFour: lastFour, entryMode: CardDetails.EntryMode(rawValue: entryMode ?? ""),
                cardholderVerification: CardDetails.CardholderVerification(rawValue: verification ?? ""),
                pinTriesLeft: triesLeft.flatMap { UInt8($0) }, aid: aid, applicationName: applicationName,
                accountType: accountType.flatMap(AccountType.init(rawValue:)),
                terminalVerificationResults: results, transactionStatusInformation: status,
                applicationCryptogram: cryptogram, cryptogramType: cryptogramType, issuerApplicationData: issuerData,
                applicationTransactionCounter: counter.flatMap { UInt16($0, radix: 16) },
                authorizationResponseCode: responseCode, authorizationCode: code, hostReference: hostReference,
                offlineDataAuthentication: CardDetails.OfflineDataAuthentication(rawValue: method ?? ""),
                offlineDataAuthenticationResult: result ?? "", offlineDataAuthenticationReason: reason)
        return PaymentDetails(
            card: card, declineReason: declineReason.map { DeclineReason(rawValue: $0) ?? .unknown },
            errorCode: errorCode, errorMessage: errorMessage)
    }
}

extension PaymentAttempt: IdentifiedObject {
    public static let databaseTableName = "paymentAttempt"
    public static let columnNames = [
        "id", "paymentID", "kind", "idempotencyKey", "state", "stan", "hostName", "amount", "currency", "lease",
        "transitions", "messageIdentity", "sealedCardData", "completion", "hostReference", "lastError", "advice",
        "refundLines", "createdAt", "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: Int64 { id }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        self.init(
            id: try reader.value("id"), paymentID: try reader.value("paymentID"), kind: try reader.value("kind"),
            key: IdempotencyKey(rawValue: try reader.value("idempotencyKey")), state: try reader.value("state"),
            stan: try reader.value("stan"), hostName: try reader.value("hostName"),
            amount: try reader.money("amount"), lease: try reader.value("lease"),
            transitions: try reader.value("transitions"),
            identity: try reader.messageIdentity("messageIdentity", sealed: "sealedCardData"),
            completion: try reader.completion("completion"),
            hostReference: try reader.optional("hostReference"), lastError: try reader.optional("lastError"),
            advice: try reader.optional("advice"), lines: try reader.refundedLines("refundLines"),
            createdAt: try reader.timestamp("createdAt"),
            updatedAt: try reader.timestamp("updatedAt"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id,
            paymentID,
            kind,
            key.rawValue,
            state,
            stan,
            hostName,
            amount.minorUnits,
            amount.currency.code,
            lease,
            transitions,
            identity?.text,
            sealedCardData.map { Data($0.bytes) },
            completion?.text,
            hostReference,
            lastError.map(PANMasking.masked),
            advice,
            RefundedLine.text(of: lines),
            createdAt.milliseconds,
            updatedAt.milliseconds,
        ]
    }
}

extension AttemptTransition: Object {
    public static let databaseTableName = "attemptTransition"
    public static let columnNames = ["attemptID", "sequence", "state", "at", "detail"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    init(of attempt: PaymentAttempt, detail: String?) {
        self.init(
            attemptID: attempt.id, sequence: attempt.transitions, state: attempt.state, at: attempt.updatedAt,
            detail: detail)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        self.init(
            attemptID: try reader.value("attemptID"), sequence: try reader.value("sequence"),
            state: try reader.value("state"), at: try reader.timestamp("at"), detail: try reader.optional("detail"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            attemptID,
            sequence,
            state,
            at.milliseconds,
            detail.map(PANMasking.masked),
        ]
    }
}

extension MessageIdentity {
    /// One line of JSON, in which the keys are in order: `{"fields":{"11":"000001"},"type":"0200"}`.
    var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RowReader {
    /// Reads a column of ``MessageIdentity/text``, and another one with its enciphered card data, if a message can have
    /// that; nil when the first is empty.
    mutating func messageIdentity(_ column: String, sealed: String? = nil) throws -> MessageIdentity? {
        guard let text: String = try optional(column) else { return nil }
        guard let identity = try? JSONDecoder().decode(MessageIdentity.self, from: Data(text.utf8)) else {
            throw unreadable(column)
        }
        guard let sealed, let data: Data = try optional(sealed) else { return identity }
        return identity.keeping(SealedCardData([UInt8](data)))
    }
}

/// Removes card numbers from text of unknown origin, such as a host's error message.
enum PANMasking {
    /// Masks every run of 12 or more digits except its last four, since it may be a card number. Single spaces and
    /// hyphens between digits do not end a run.
    static func masked(_ text: String) -> String {
        masked(text, atMost: 1) { $0 == " " || $0 == "-" }
    }

    /// Masks the same in what a person has typed, who may have put anything but letters between the digits.
    static func maskedAsTyped(_ text: String) -> String { masked(text, atMost: 3) { !$0.isLetter } }

    /// `gap` is the most characters between two digits of a run that `isSeparator`.
    private static func masked(
        _ text: String, atMost gap: Int, _ isSeparator: (Character) -> Bool
    ) -> String {
        // Most texts have few digits, and those of ASCII are counted fast.
        guard text.utf8.count(where: { $0 >= 0x80 || 0x30...0x39 ~= $0 }) >= 12 else { return text }
        var characters = Array(text)
        var run: [Int] = []
        func maskRun() {
            if run.count >= 12 {
                for place in run.dropLast(4) { characters[place] = "*" }
            }
            run.removeAll()
        }
        for (place, character) in characters.enumerated() {
            if character.wholeNumberValue != nil {
                run.append(place)
            } else if !isSeparator(character) || place - (run.last ?? place) > gap {
                maskRun()
            }
        }
        maskRun()
        return String(characters)
    }
}
