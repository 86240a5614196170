/// The words of a receipt in one language. A language without one of them does not compile.
public struct ReceiptLabels: Hashable, Sendable {
    var date, payment, order, merchantID, terminalID: String
    var sale, refund, void, preauthorization: String
    var approved, declined, cancelled, outcomeUnknown, doNotChargeAgain, beingChecked: String
    var subtotal, discount, fees, shipping, taxes, tip: String
    var total, refunded, voided, authorized, amount, approvedAmount: String
    var application, cardBrand, applicationID, card, accountType: String
    var entryMode, chip, swiped, fallback: String
    var authorizationCode, response, reference: String
    var verifiedByPIN, notAsked, verificationFailed, verifiedBySignature, signature: String
    var merchantCopy, customerCopy, duplicate, keepThisReceipt: String
}
