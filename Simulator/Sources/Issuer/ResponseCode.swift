/// The response codes (DE 39) that the simulated issuer gives.
enum ResponseCode: String {
    case approved = "00"
    /// Without a reason that the terminal is told.
    case doNotHonour = "05"
    case invalidAmount = "13"
    case unknownCard = "14"
    case noSuchPayment = "25"
    case insufficientFunds = "51"
    case expiredCard = "54"
    case wrongPIN = "55"
    case overAmountLimit = "61"
    /// Not in this country.
    case restrictedCard = "62"
    case pinRequired = "70"
    case tooManyPINTries = "75"
    /// The card verification value is wrong, or missing.
    case wrongVerificationValue = "82"
    /// The cryptogram is wrong, or was seen before.
    case cryptographicFailure = "88"
    /// The key belongs to another message, or to an attempt that was taken back.
    case duplicate = "94"
}
