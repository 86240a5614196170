public import CardSecrets
import Cryptography

/// Confidentiality of issuer script commands: data encipherment (EMV Book 2 §9.3) and the PIN blocks of PIN
/// CHANGE/UNBLOCK (Book 3 §6.5.10), by scheme:
///
/// * Visa: the new PIN XOR part of the card's own key and the current PIN; the length in front, 80 and zeros as
/// padding; enciphered block by block (ECB).
/// * M/Chip: an ISO 9564-1 format 2 block; padding with 80 and zeros only if the data are not whole blocks; CBC.
/// * Common core definitions: a format 2 block; padding with 80 and zeros always; CBC.
///
/// A command's MAC covers the enciphered data.
public enum ScriptEncipherment {
    /// Enciphers the data of a command under the transaction's session key.
    ///
    /// - Parameters:
    ///   - data: the plaintext, for example a PIN block.
    ///   - atc: the application transaction counter of the transaction.
    ///   - applicationCryptogram: the response to the first GENERATE AC, 8 bytes.
    ///   - version: the key derivation, cipher, and rule of the scheme.
    ///   - masterKey: the ICC master key for secure messaging with confidentiality.
    /// - Returns: whole blocks, 8 bytes each for triple DES, 16 for AES.
    /// - Throws: ``CryptogramError/malformedScriptData`` for more than 255 bytes,
    ///   ``CryptogramError/cryptography(_:)``
    public static func encipher(
        _ data: borrowing SensitiveBytes, atc: UInt16, applicationCryptogram: [UInt8], version: CryptogramVersion,
        masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [UInt8] {
        guard let length = UInt8(exactly: data.count) else { throw .malformedScriptData }
        let key = try version.scriptKey(masterKey: masterKey, atc: atc, applicationCryptogram: applicationCryptogram)
        var message = data.withUnsafeBytes { [UInt8]($0) }
        defer { message.wipe() }
        let rule = Rule(version)
        if rule.saysLength { message.insert(length, at: 0) }
        if rule.alwaysPads || !message.count.isMultiple(of: rule.blockLength) {
            message.append(0x80)
            while !message.count.isMultiple(of: rule.blockLength) { message.append(0) }
        }
        return try cryptographically { [message] () throws(CryptographyError) in
            switch version.cipher {
            case .tripleDES:
                try TripleDES.encrypt(message, key: key, initializationVector: rule.initializationVector)
            case .aes: try AES.encrypt(message, key: key, initializationVector: rule.initializationVector)
            }
        }
    }

    /// Deciphers the result of ``encipher(_:atc:applicationCryptogram:version:masterKey:)``. M/Chip data of whole
    /// blocks have no end mark and are returned unchanged.
    ///
    /// - Throws: ``CryptogramError/malformedScriptData`` if the blocks, length, or padding are wrong,
    ///   ``CryptogramError/cryptography(_:)``
    public static func decipher(
        _ enciphered: [UInt8], atc: UInt16, applicationCryptogram: [UInt8], version: CryptogramVersion,
        masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        let rule = Rule(version)
        guard !enciphered.isEmpty, enciphered.count.isMultiple(of: rule.blockLength) else {
            throw .malformedScriptData
        }
        let key = try version.scriptKey(masterKey: masterKey, atc: atc, applicationCryptogram: applicationCryptogram)
        var message = try cryptographically { () throws(CryptographyError) in
            switch version.cipher {
            case .tripleDES:
                try TripleDES.decrypt(enciphered, key: key, initializationVector: rule.initializationVector)
            case .aes: try AES.decrypt(enciphered, key: key, initializationVector: rule.initializationVector)
            }
        }
        defer { message.wipe() }
        let start = rule.saysLength ? 1 : 0
        if rule.saysLength || rule.alwaysPads {
            guard let marker = message.lastIndex(where: { $0 != 0 }), message[marker] == 0x80, marker >= start,
                !rule.saysLength || message.first.map(Int.init) == marker - start
            else { throw .malformedScriptData }
            return SensitiveBytes(message[start..<marker])
        }
        return SensitiveBytes(message)
    }

    /// Builds the plaintext PIN block of PIN CHANGE/UNBLOCK, 8 bytes, for P2 = 02, or with the current PIN for P2 =
    /// 01 (Visa only).
    ///
    /// - Parameters:
    ///   - newPIN: 4...12 digits, one per byte with values 0...9.
    ///   - currentPIN: the card's current PIN; nil for a block without it.
    ///   - version: the rule of the scheme.
    ///   - cryptogramKey: the ICC master key for application cryptograms, part of which Visa uses.
    /// - Returns: the data to encipher.
    /// - Throws: ``CryptogramError/unusablePIN`` for an invalid PIN, or a current PIN where the scheme takes none.
    public static func pinBlock(
        newPIN: SealedBytes, currentPIN: SealedBytes? = nil, version: CryptogramVersion,
        cryptogramKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        let block = try formatTwo(newPIN)
        guard version.takesCurrentPIN else {
            guard currentPIN == nil else { throw .unusablePIN }
            return block
        }
        return try masked(block.exclusiveOr([0x20]), currentPIN: currentPIN, cryptogramKey: cryptogramKey)
    }

    /// Reads the new PIN from the result of ``pinBlock(newPIN:currentPIN:version:cryptogramKey:)``, as an ISO 9564-1
    /// format 2 block as sent by VERIFY.
    ///
    /// - Throws: ``CryptogramError/unusablePIN`` if it contains no PIN.
    static func formatTwoBlock(
        in block: borrowing SensitiveBytes, currentPIN: SealedBytes?, version: CryptogramVersion,
        cryptogramKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        let opened =
            version.takesCurrentPIN
            ? try masked(block, currentPIN: currentPIN, cryptogramKey: cryptogramKey).exclusiveOr([0x20])
            : block.duplicate()
        do throws(PINBlockError) { _ = try PINBlock.pin(formatTwo: opened) } catch { throw .unusablePIN }
        return opened
    }

    private static func formatTwo(_ pin: SealedBytes) throws(CryptogramError) -> SensitiveBytes {
        do throws(PINBlockError) { return try PINBlock.formatTwo(pin: pin.bytes) } catch { throw .unusablePIN }
    }

    /// Returns Visa's mask: bytes 5 to 8 of the key cover the second half of the block; the digits of the current
    /// PIN, padded with zeros, cover all of it.
    private static func masked(
        _ block: borrowing SensitiveBytes, currentPIN: SealedBytes?, cryptogramKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> SensitiveBytes {
        var mask = [0, 0, 0, 0] + cryptogramKey.withUnsafeBytes { [UInt8]($0.dropFirst(4).prefix(4)) }
        defer { mask.wipe() }
        guard let currentPIN else { return block.exclusiveOr(mask) }
        var digits = currentPIN.copy()
        guard (4...12).contains(digits.count), digits.allSatisfy({ $0 <= 9 }) else { throw .unusablePIN }
        digits.append(contentsOf: repeatElement(0, count: 16 - digits.count))
        var packed = TestPAN.pack(digits)
        defer {
            digits.wipe()
            packed.wipe()
        }
        return block.exclusiveOr(mask).exclusiveOr(packed)
    }

    /// How data are padded and chained.
    private struct Rule {
        var saysLength = false
        var alwaysPads = true
        var blockLength = TripleDES.blockLength
        var initializationVector: [UInt8]?

        init(_ version: CryptogramVersion) {
            switch version {
            case .cvn10, .cvn18: saysLength = true
            case .mChip, .mChipCommonSessionKey, .mChipEMV2000: alwaysPads = false
            case .aes: blockLength = AES.blockLength
            }
            if !saysLength { initializationVector = [UInt8](repeating: 0, count: blockLength) }
        }
    }
}

extension CryptogramVersion {
    /// Whether the scheme has a PIN block that includes the current PIN: P2 = 01 of PIN CHANGE/UNBLOCK.
    public var takesCurrentPIN: Bool {
        switch self {
        case .cvn10, .cvn18: true
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000, .aes: false
        }
    }
}

/// The MAC of an issuer script command (EMV Book 2 §9.2, format 2).
public enum ScriptMAC {
    /// The default length of the MAC at the end of a command's data, in bytes.
    public static let length = 8
    /// The accepted lengths: the leftmost 4 bytes or the whole MAC (EMV Book 2 §9.2.1).
    public static let lengths = [4, 8]

    /// Computes the MAC over CLA, INS, P1, P2, and Lc (which includes the MAC), the ATC, the cryptogram of the first
    /// GENERATE AC, and the data before the MAC.
    ///
    /// - Parameters:
    ///   - header: CLA, INS, P1, P2, Lc.
    ///   - data: the command's data without the MAC.
    ///   - atc: the application transaction counter of the transaction.
    ///   - applicationCryptogram: the response to the first GENERATE AC, 8 bytes.
    ///   - version: the key derivation and cipher.
    ///   - masterKey: the ICC master key for secure messaging with integrity.
    ///   - length: the length of the MAC, 4...8.
    /// - Returns: `length` bytes.
    /// - Throws: ``CryptogramError/cryptography(_:)``
    public static func compute(
        header: [UInt8], data: [UInt8], atc: UInt16, applicationCryptogram: [UInt8], version: CryptogramVersion,
        masterKey: borrowing SensitiveBytes, length: Int = Self.length
    ) throws(CryptogramError) -> [UInt8] {
        let key = try version.scriptKey(masterKey: masterKey, atc: atc, applicationCryptogram: applicationCryptogram)
        let mac = try version.mac(
            header + atc.bigEndianBytes + applicationCryptogram + data, key: key, padding: .markerAndZeros)
        return Array(mac.prefix(length))
    }
}
