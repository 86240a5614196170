public import CardSecrets

/// Derived unique key per transaction with AES (ANSI X9.24-3:2017, §6).
public enum AESDUKPT {
    /// The usage of a working key in the derivation data.
    public enum Usage: UInt16, Hashable, Sendable {
        case pinEncipherment = 0x1000
        case macGeneration = 0x2000
        case macVerification = 0x2001
        case macBothWays = 0x2002
        case dataEncipherment = 0x3000
        case dataDecipherment = 0x3001
        case dataBothWays = 0x3002
    }

    /// The type of a derived key in the derivation data.
    public enum KeyType: UInt16, Hashable, Sendable {
        case twoKeyTripleDES = 0
        case threeKeyTripleDES = 1
        case aes128 = 2
        case aes192 = 3
        case aes256 = 4

        /// The length of a key, in bytes.
        public var length: Int {
            switch self {
            case .twoKeyTripleDES, .aes128: 16
            case .threeKeyTripleDES, .aes192: 24
            case .aes256: 32
            }
        }

        /// The AES key type with the length of `key`.
        fileprivate init(of key: borrowing SensitiveBytes) throws(DUKPTError) {
            switch key.count {
            case 16: self = .aes128
            case 24: self = .aes192
            case 32: self = .aes256
            default: throw .cryptography(.keyLength(key.count, algorithm: "AES DUKPT"))
            }
        }
    }

    /// Returns the initial key of a device, with the length of the base derivation key (16, 24 or 32 bytes).
    ///
    /// - Throws: ``DUKPTError/keySerialNumberLength(_:)``, ``DUKPTError/cryptography(_:)``
    public static func initialKey(
        baseDerivationKey: borrowing SensitiveBytes, keySerialNumber: DUKPTKeySerialNumber
    ) throws(DUKPTError) -> SensitiveBytes {
        try check(keySerialNumber)
        return try derive(
            from: baseDerivationKey, usage: 0x8001, type: try KeyType(of: baseDerivationKey),
            context: Array(keySerialNumber.bytes.prefix(8)))
    }

    /// Returns the derivation key of one transaction from the device's initial key. Do not use it directly, only
    /// through ``workingKey(transactionKey:keySerialNumber:usage:type:)``.
    ///
    /// - Throws: ``DUKPTError/keySerialNumberLength(_:)``, ``DUKPTError/counterNotAllowed(_:)``,
    ///   ``DUKPTError/cryptography(_:)``
    public static func transactionKey(
        initialKey: borrowing SensitiveBytes, keySerialNumber: DUKPTKeySerialNumber
    ) throws(DUKPTError) -> SensitiveBytes {
        try check(keySerialNumber)
        let type = try KeyType(of: initialKey)
        var key = initialKey.duplicate()
        var reached: UInt32 = 0
        for step in try keySerialNumber.counterSteps() {
            reached |= step
            key = try derive(
                from: key, usage: 0x8000, type: type, context: context(keySerialNumber.with(counter: reached)))
        }
        return key
    }

    /// Returns the key for one usage in one transaction, with the length of its type.
    ///
    /// - Throws: ``DUKPTError/keySerialNumberLength(_:)``, ``DUKPTError/cryptography(_:)``
    public static func workingKey(
        transactionKey: borrowing SensitiveBytes, keySerialNumber: DUKPTKeySerialNumber, usage: Usage,
        type: KeyType = .aes128
    ) throws(DUKPTError) -> SensitiveBytes {
        try check(keySerialNumber)
        return try derive(
            from: transactionKey, usage: usage.rawValue, type: type, context: context(keySerialNumber))
    }

    private static func check(_ keySerialNumber: DUKPTKeySerialNumber) throws(DUKPTError) {
        guard keySerialNumber.scheme == .aes else { throw .keySerialNumberLength(keySerialNumber.bytes.count) }
    }

    /// The right half of the initial key identifier and the counter, 8 bytes.
    private static func context(_ keySerialNumber: DUKPTKeySerialNumber) -> [UInt8] {
        Array(keySerialNumber.bytes.suffix(8))
    }

    /// Version 1, block number, usage, key type, length in bits and context make a block of derivation
    /// data; enciphered under `key` it is a block of the derived key.
    private static func derive(
        from key: borrowing SensitiveBytes, usage: UInt16, type: KeyType, context: [UInt8]
    ) throws(DUKPTError) -> SensitiveBytes {
        let fields = bytes(usage) + bytes(type.rawValue) + bytes(UInt16(type.length * 8)) + context
        let data = type.length > AES.blockLength ? [1, 1] + fields + [1, 2] + fields : [1, 1] + fields
        return try deriving { () throws(CryptographyError) in
            var bytes = try AES.encrypt(data, key: key)
            defer { bytes.wipe() }
            return SensitiveBytes(bytes.prefix(type.length))
        }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
