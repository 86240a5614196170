public import CardSecrets
import Cryptography
import EMV
public import Money
import Text

/// An account at the simulated issuer, with its card and rules.
///
/// It holds no PAN, only a keyed hash.
public struct IssuerAccount: Sendable {
    /// The display name of the account, for example the name of the card profile.
    public let name: String
    /// The key of the account in the ledger: a keyed hash of the PAN, 16 hexadecimal digits.
    public let reference: String
    /// The last four digits of the PAN.
    public let lastFour: String
    /// The available amount; nil without a limit. One unit of another currency counts as one unit of its own.
    public var available: Money?
    /// The largest single payment in its currency (above it, response code 61); nil without a limit.
    public var largestAmount: Money?
    /// DE 39 of every response to a genuine card, two characters, for example `43` for a stolen card; nil if the
    /// issuer decides by the account.
    public var responseCode: String?
    /// The number of consecutive wrong online PINs after which the issuer responds 75.
    public var pinTryLimit = 3
    /// Whether the issuer declines an ATC that is not above the highest one seen. Turn it off for a card whose ATC
    /// restarts with the program.
    public var requiresRisingCounter = false
    /// The issuer script commands sent with the first response.
    public var scripts: [IssuerScriptCommand] = []
    /// The country of the account, an ISO 3166 numeric code, for domestic cards; nil for any country.
    public var country: UInt16?
    /// A fault that applies to every authorization of this account.
    public var fault: IssuerFault?
    /// The recorded responses of a recorded card's issuer, one per authorization, because its cryptograms cannot be
    /// checked. Nil for a card whose keys the issuer has.
    var recordedAnswers: [IssuerAnswer]?
    /// The PIN that the issuer verifies online; nil if it verifies none.
    let onlinePIN: OnlinePIN?

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - name: the display name of the account.
    ///   - pan: the PAN of the card.
    ///   - onlinePIN: 4...12 digits, one per byte with values 0...9; nil if the issuer verifies no PIN.
    ///   - keys: the test keys.
    /// - Throws: a failure of libcrypto.
    public init(
        name: String, pan: borrowing PrimaryAccountNumber, onlinePIN: consuming SensitiveBytes? = nil, keys: TestKeys
    ) throws(CryptogramError) {
        self.name = name
        lastFour = pan.lastFour
        reference = try Self.reference(pan, keys: keys)
        if let pin = onlinePIN { self.onlinePIN = OnlinePIN(pin) } else { self.onlinePIN = nil }
    }

    /// Returns a keyed hash of the PAN, so that the PAN cannot be found by trying all numbers without the key.
    static func reference(_ pan: borrowing PrimaryAccountNumber, keys: TestKeys) throws(CryptogramError) -> String {
        var digits = pan.withDigits { [UInt8]($0) }
        defer { digits.wipe() }
        let mac = try keys.withMasterKeys(.aes) { (masterKeys) throws(CryptogramError) in
            try CryptogramVersion.aes.mac(digits, key: masterKeys.applicationCryptogram, padding: .markerAndZeros)
        }
        return mac.lowercaseHexadecimal
    }
}

/// A PIN behind a reference, so that accounts are plain values.
final class OnlinePIN: Sendable {
    let digits: SensitiveBytes

    init(_ digits: consuming SensitiveBytes) { self.digits = digits }
}
