import Determinism
import Money
import Payments
import Terminal
import Text

/// The receipts of a transaction: a copy for the merchant and one for the cardholder.
struct NexoReceipt {
    /// A line: what it is, its name on paper, and its value. A line without a name and a value is empty.
    struct Line: Hashable {
        let key: String
        var name = ""
        var value = ""
        var isBold = false
    }

    let poi: String
    let merchantID: String
    let tender: String
    let sale: String?
    let amount: Money
    let date: CivilDate
    let card: CardDetails?
    let isApproved: Bool
    let isRefund: Bool

    func lines(_ kind: TerminalReceipt.Kind) -> [Line] {
        let isMerchant = kind == .merchant
        var lines = [
            isMerchant
                ? Line(key: "merchantTitle", name: "MERCHANT COPY", isBold: true)
                : Line(key: "cardholderHeader", name: "CARDHOLDER COPY", isBold: true),
            Line(key: "filler"), Line(key: "txdate", name: "Date", value: date.dayText),
            Line(key: "txtime", name: "Time", value: date.timeText), Line(key: "filler"),
        ]
        if let card {
            if let lastFour = card.lastFour { lines.append(Line(key: "pan", name: "Card", value: "**** " + lastFour)) }
            if let name = card.applicationName {
                lines.append(Line(key: "preferredName", name: "Pref. name", value: name))
            }
            lines.append(Line(key: "paymentMethod", name: "Payment method", value: NexoCard.brand(card)))
            lines.append(Line(key: "posEntryMode", name: "Entry mode", value: NexoCard.receiptEntryMode(card)))
            lines.append(Line(key: "filler"))
            if let aid = card.aid { lines.append(Line(key: "aid", name: "AID", value: aid)) }
        }
        lines += [
            Line(key: "mid", name: "MID", value: merchantID), Line(key: "tid", name: "TID", value: poi),
            Line(key: "filler"),
        ]
        if isApproved, let code = card?.authorizationCode {
            lines.append(Line(key: "authCode", name: "Auth. code", value: code))
        }
        lines.append(Line(key: "txRef", name: "Tender", value: tender))
        if let sale { lines.append(Line(key: "mref", name: "Reference", value: sale)) }
        lines += [
            Line(key: "filler"), Line(key: "txtype", name: "Type", value: isRefund ? "REFUND" : "GOODS_SERVICES"),
            Line(key: "totalAmount", name: "TOTAL", value: "\(amount)", isBold: true), Line(key: "filler"),
            isApproved
                ? Line(key: "approved", name: "APPROVED", isBold: true)
                : Line(key: "declined", name: "DECLINED", isBold: true),
        ]
        return lines
    }

    private func needsSignature(_ kind: TerminalReceipt.Kind) -> Bool {
        kind == .merchant && isApproved && card?.cardholderVerification.needsSignature == true
    }

    /// PaymentReceipt of a response. Each text is itself pairs of names and values.
    var json: JSONValue {
        .list(
            [(TerminalReceipt.Kind.merchant, "CashierReceipt"), (.customer, "CustomerReceipt")].map { kind, qualifier in
                [
                    "DocumentQualifier": .text(qualifier), "RequiredSignatureFlag": .bool(needsSignature(kind)),
                    "OutputContent": [
                        "OutputFormat": "Text", "OutputText": .list(lines(kind).map { Self.text($0) }),
                    ],
                ]
            })
    }

    private static func text(_ line: Line) -> JSONValue {
        let pairs = [("name", line.name), ("value", line.value), ("key", line.key)].filter { !$0.1.isEmpty }
        return .members([
            "Text": .text(NexoText.pairs(pairs.map { (name: $0.0, value: $0.1) })),
            "CharacterStyle": line.isBold ? "Bold" : nil, "EndOfLineFlag": true,
        ])
    }

    /// The copies for the terminal's own printer.
    var printed: [TerminalReceipt] {
        [TerminalReceipt.Kind.merchant, .customer].map { kind in
            TerminalReceipt(
                kind: kind,
                lines: lines(kind).map { line in
                    TerminalReceipt.Line(
                        [line.name, line.value].filter { !$0.isEmpty }.joined(separator: " "),
                        isCentered: line.value.isEmpty)
                }, isPositive: isApproved, needsSignature: needsSignature(kind))
        }
    }
}

/// A card in the words of the protocol.
enum NexoCard {
    static func brand(_ card: CardDetails) -> String {
        switch card.brand {
        case "mastercard": "mc"
        case "americanExpress": "amex"
        case "unionPay": "cup"
        default: card.brand
        }
    }

    private static func entryMode(_ card: CardDetails) -> String? {
        switch card.entryMode {
        case .chip: "ICC"
        case .contactless: "Contactless"
        case .swipe, .fallback: "MagStripe"
        case .other: nil
        }
    }

    static func receiptEntryMode(_ card: CardDetails) -> String {
        switch card.entryMode {
        case .chip: "ICC"
        case .contactless: "CLESS_CHIP"
        case .swipe, .fallback: "MSR"
        case .other(let word): word
        }
    }

    /// AuthenticationMethod; empty where the cardholder was not verified.
    static func authentication(_ card: CardDetails) -> [JSONValue] {
        switch card.cardholderVerification.family {
        case .offlinePIN: ["OfflinePIN"]
        case .onlinePIN: ["OnlinePIN"]
        case .signature: ["PaperSignature"]
        case .offlinePINAndSignature: ["OfflinePIN", "PaperSignature"]
        // nexo has no word for the cardholder's own device.
        case .other, .device: ["UnknownMethod"]
        case .none, .failed, .encipheredOfflinePIN, .encipheredOfflinePINAndSignature: []
        }
    }

    /// PaymentInstrumentData. Of the card number, the last four digits are known.
    static func instrument(_ card: CardDetails) -> JSONValue {
        [
            "PaymentInstrumentType": "Card",
            "CardData": .members([
                "EntryMode": entryMode(card).map { [.text($0)] },
                "MaskedPan": card.lastFour.map { .text("**** " + $0) }, "PaymentBrand": .text(brand(card)),
            ]),
        ]
    }
}
