public import Amounts
public import CardSecrets
internal import Cryptography
internal import EMV

/// An account at the simulated issuer: whose card it is, and by which rules the issuer answers.
///
/// It holds no PAN, only what tells one from another.
public struct IssuerAccount: Sendable {
    /// What people call the account, for example the name of the card profile.
    public let name: String
    /// Names the account in the ledger: a keyed hash of the PAN, 16 hexadecimal digits.
    public let reference: String
    /// The last four digits of the PAN.
    public let lastFour: String
    /// What may be spent; nil when there is no bound. It bounds payments in its own currency only.
    public var available: Money?
    /// The largest single payment in its currency (else response code 61); nil when there is no bound.
    public var largestAmount: Money?
    /// DE 39 of every answer to a genuine card, two characters, for example `43` for a stolen card;
    /// nil when the issuer decides by the account.
    public var responseCode: String?
    /// Wrong online PINs in a row after which the issuer answers 75.
    public var pinTryLimit = 3
    /// Whether a transaction counter that is not above the highest one seen is declined. A card that
    /// begins at one again whenever its program starts needs this off.
    public var requiresRisingCounter = false
    /// Commands that the issuer sends to the card with its first answer.
    public var scripts: [IssuerScriptCommand] = []
    /// Where the account is, ISO 3166 numeric, for cards that are for their own country alone; nil for everywhere.
    public var country: UInt16?
    /// What goes wrong with every authorisation of this account.
    public var fault: IssuerFault?
    /// What the issuer of a recorded card answered, one authorisation after the other: its cryptograms cannot be checked.
    /// Nil for a card whose keys the issuer has.
    var recordedAnswers: [IssuerAnswer]?
    /// The PIN that the issuer verifies online; nil when it verifies none.
    let onlinePIN: OnlinePIN?

    /// - Parameters:
    ///   - name: what people call the account.
    ///   - pan: the PAN of the card.
    ///   - onlinePIN: 4...12 digits, one a byte with values 0...9; nil when the issuer verifies no PIN.
    ///   - keys: the keys of the simulated payment world.
    /// - Throws: a failure of libcrypto.
    public init(
        name: String, pan: borrowing PrimaryAccountNumber, onlinePIN: consuming SensitiveBytes? = nil, keys: TestKeys
    ) throws(CryptogramError) {
        self.name = name
        lastFour = pan.lastFour
        reference = try Self.reference(pan, keys: keys)
        if let pin = onlinePIN { self.onlinePIN = OnlinePIN(pin) } else { self.onlinePIN = nil }
    }

    /// A keyed hash, so that nobody without the key finds the PAN by trying them all.
    static func reference(_ pan: borrowing PrimaryAccountNumber, keys: TestKeys) throws(CryptogramError) -> String {
        var digits = pan.withDigits { [UInt8]($0) }
        defer { digits.wipe() }
        let mac = try keys.withMasterKeys(.aes) { (masterKeys) throws(CryptogramError) in
            try CryptogramVersion.aes.mac(digits, key: masterKeys.applicationCryptogram, padding: .markerAndZeros)
        }
        return mac.hexadecimal
    }
}

/// A PIN behind a reference, so that accounts are plain values.
final class OnlinePIN: Sendable {
    let digits: SensitiveBytes

    init(_ digits: consuming SensitiveBytes) { self.digits = digits }
}

extension [UInt8] {
    /// Lower-case hexadecimal digits.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
