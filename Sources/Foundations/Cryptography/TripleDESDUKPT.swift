public import CardSecrets

/// Derived unique key per transaction with triple DES (ANSI X9.24-1:2009, annex A).
public enum TripleDESDUKPT {
    /// The usage of a working key.
    public enum Usage: Hashable, Sendable {
        case pinEncipherment
        case macRequest
        case macResponse
        case dataRequest
        case dataResponse

        /// The byte of each key half that differs for this usage.
        fileprivate var offset: Int {
            switch self {
            case .pinEncipherment: 7
            case .macRequest: 6
            case .macResponse: 4
            case .dataRequest: 5
            case .dataResponse: 3
            }
        }
    }

    /// Returns the initial key of a device (IPEK), 16 bytes, from the base derivation key of 16 bytes.
    ///
    /// - Throws: ``DUKPTError/keySerialNumberLength(_:)``, ``DUKPTError/cryptography(_:)``
    public static func initialKey(
        baseDerivationKey: borrowing SensitiveBytes, keySerialNumber: DUKPTKeySerialNumber
    ) throws(DUKPTError) -> SensitiveBytes {
        try check(keySerialNumber)
        let device = Array(keySerialNumber.with(counter: 0).bytes.prefix(8))
        return try deriving { () throws(CryptographyError) in
            var bytes = try TripleDES.encrypt(device, key: baseDerivationKey)
            bytes += try TripleDES.encrypt(device, key: baseDerivationKey.exclusiveOr(variant + variant))
            return SensitiveBytes(wiping: &bytes)
        }
    }

    /// Returns the key of one transaction, 16 bytes, from the device's initial key. Do not use it directly, only
    /// through ``workingKey(transactionKey:usage:)``.
    ///
    /// - Throws: ``DUKPTError/keySerialNumberLength(_:)``, ``DUKPTError/counterNotAllowed(_:)``,
    ///   ``DUKPTError/cryptography(_:)``
    public static func transactionKey(
        initialKey: borrowing SensitiveBytes, keySerialNumber: DUKPTKeySerialNumber
    ) throws(DUKPTError) -> SensitiveBytes {
        try check(keySerialNumber)
        guard initialKey.count == 16 else { throw .cryptography(.keyLength(initialKey.count, algorithm: "DUKPT")) }
        var key = initialKey.duplicate()
        var reached: UInt32 = 0
        for step in try keySerialNumber.counterSteps() {
            reached |= step
            let register = Array(keySerialNumber.with(counter: reached).bytes.suffix(8))
            let right = try oneWay(key, register: register)
            let left = try oneWay(key.exclusiveOr(variant + variant), register: register)
            key = SensitiveBytes(joining: left, right)
        }
        return key
    }

    /// Returns the key for one usage in one transaction, 16 bytes.
    ///
    /// - Throws: ``DUKPTError/cryptography(_:)``
    public static func workingKey(
        transactionKey: borrowing SensitiveBytes, usage: Usage
    ) throws(DUKPTError) -> SensitiveBytes {
        var mask = [UInt8](repeating: 0, count: 16)
        (mask[usage.offset], mask[usage.offset + 8]) = (0xFF, 0xFF)
        let key = transactionKey.exclusiveOr(mask)
        guard usage == .dataRequest || usage == .dataResponse else { return key }
        return try deriving { () throws(CryptographyError) in try TripleDES.encrypt(key, key: key) }
    }

    private static let variant: [UInt8] = [0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0]

    private static func check(_ keySerialNumber: DUKPTKeySerialNumber) throws(DUKPTError) {
        guard keySerialNumber.scheme == .tripleDES else {
            throw .keySerialNumberLength(keySerialNumber.bytes.count)
        }
    }

    /// The register, single DES under the left half between two additions of the right half.
    private static func oneWay(
        _ key: borrowing SensitiveBytes, register: [UInt8]
    ) throws(DUKPTError) -> SensitiveBytes {
        let left = key.part(0..<8)
        let right = key.part(8..<16)
        let input = right.exclusiveOr(register)
        let output = try deriving { () throws(CryptographyError) in try TripleDES.encrypt(input, key: left) }
        var mask = right.withUnsafeBytes { [UInt8]($0) }
        defer { mask.wipe() }
        return output.exclusiveOr(mask)
    }
}
