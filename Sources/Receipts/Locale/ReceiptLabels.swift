internal import Hardware

/// The words of a receipt in one language. A language without one of them does not compile.
public struct ReceiptLabels: Hashable, Sendable {
    var date, payment, store, order, merchantID, terminalID: String
    var sale, refund, void, preauthorization: String
    var approved, declined, cancelled, outcomeUnknown, doNotChargeAgain, beingChecked, nothingCharged: String
    var subtotal, discount, fees, shipping, taxes, includedTaxes, giftCards, tip: String
    var total, refunded, voided, authorized, amount, approvedAmount: String
    var application, cardBrand, applicationID, card, accountType, defaultAccount, savings, cheque, credit: String
    var entryMode, chip, swiped, fallback: String
    var authorizationCode, response, reference: String
    var verifiedByPIN, notAsked, verificationFailed, verifiedBySignature, signature: String
    var merchantCopy, customerCopy, duplicate, keepThisReceipt: String

    func word(for account: AccountType) -> String {
        switch account {
        case .savings: savings
        case .cheque: cheque
        case .credit: credit
        }
    }
}
