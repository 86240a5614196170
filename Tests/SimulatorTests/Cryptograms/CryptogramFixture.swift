import CardSecrets
import Simulator
import SmartCard

/// Data objects of a payment, and bytes out of text, for tests of cryptograms.
enum CryptogramFixture {
    static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func pan(_ text: String) throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(compressedNumeric: hex(text + (text.count.isMultiple(of: 2) ? "" : "F")))
    }

    static func revealed(_ secret: borrowing SensitiveBytes) -> [UInt8] { secret.withUnsafeBytes { [UInt8]($0) } }

    /// What goes into a cryptogram: 12.50 US dollars, transaction counter 0x0102.
    static func dataObjects(_ application: IssuerApplicationData) -> [BERTag: [UInt8]] {
        [
            0x9F02: hex("000000001250"), 0x9F03: hex("000000000000"), 0x9F1A: hex("0840"), 0x95: hex("0000008000"),
            0x5F2A: hex("0840"), 0x9A: hex("261121"), 0x9C: [0], 0x9F37: hex("A1B2C3D4"), 0x82: hex("3900"),
            0x9F36: hex("0102"), 0x9F10: application.encoded,
        ]
    }

    static func input(_ version: CryptogramVersion) throws -> ApplicationCryptogram.Input {
        let objects = dataObjects(
            IssuerApplicationData(
                version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc)))
        return try ApplicationCryptogram.Input { objects[$0] }
    }
}
