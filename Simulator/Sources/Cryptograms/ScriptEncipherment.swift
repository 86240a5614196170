public import CardSecrets
internal import Cryptography

/// What is secret in an issuer script command: its encipherment (EMV Book 2 §9.3) and the PIN blocks that
/// PIN CHANGE/UNBLOCK brings (Book 3 §6.5.10), both by the rule of the scheme.
///
/// * Visa: the new PIN, exclusive-or a part of the card's own key and the current PIN; its length in front, 80
///   and zeros behind; enciphered block by block.
/// * M/Chip: a block of ISO 9564-1 format 2; 80 and zeros behind data that are no whole blocks; chained (CBC).
/// * Common core definitions: a block of format 2; 80 and zeros behind it always; chained (CBC).
///
/// A command's MAC goes over the enciphered data.
public enum ScriptEncipherment {
    /// Enciphers the data of a command under the session key that this transaction has for it.
    ///
    /// - Parameters:
    ///   - data: what the card is to read, for example a PIN block.
    ///   - atc: the application transaction counter of the transaction.
    ///   - applicationCryptogram: the answer to the first GENERATE AC, 8 bytes.
    ///   - version: which key is derived how, the cipher, and the rule of the scheme.
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
                try TripleDES.encrypt(message, key: key, initialisationVector: rule.initialisationVector)
            case .aes: try AES.encrypt(message, key: key, initialisationVector: rule.initialisationVector)
            }
        }
    }

    /// Opens what ``encipher(_:atc:applicationCryptogram:version:masterKey:)`` makes. The scheme does not say
    /// where M/Chip data end whose blocks are whole: they are taken as they are.
    ///
    /// - Throws: ``CryptogramError/malformedScriptData`` when blocks, length or padding are not right,
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
                try TripleDES.decrypt(enciphered, key: key, initialisationVector: rule.initialisationVector)
            case .aes: try AES.decrypt(enciphered, key: key, initialisationVector: rule.initialisationVector)
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

    /// The block, 8 bytes, that PIN CHANGE/UNBLOCK brings enciphered: with P2 = 02, or P2 = 01 when the
    /// current PIN is part of it, as only Visa has it.
    ///
    /// - Parameters:
    ///   - newPIN: 4...12 digits, one a byte with values 0...9.
    ///   - currentPIN: the PIN that the card has now; nil for a block without it.
    ///   - version: the rule of the scheme.
    ///   - cryptogramKey: the ICC master key for application cryptograms, of which Visa takes a part.
    /// - Returns: what is to be enciphered.
    /// - Throws: ``CryptogramError/unusablePIN`` for a PIN that is none, or a current PIN where the scheme
    ///   takes none.
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

    /// Opens what ``pinBlock(newPIN:currentPIN:version:cryptogramKey:)`` makes: the new PIN as a block of
    /// ISO 9564-1 format 2, as VERIFY brings it.
    ///
    /// - Throws: ``CryptogramError/unusablePIN`` when there is no PIN in it.
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

    /// Visa's mask: bytes 5 to 8 of the key stand over the second half of the block; the digits of the
    /// current PIN, filled with zeros, over all of it.
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

    /// How data are filled up and chained.
    private struct Rule {
        var saysLength = false
        var alwaysPads = true
        var blockLength = TripleDES.blockLength
        var initialisationVector: [UInt8]?

        init(_ version: CryptogramVersion) {
            switch version {
            case .cvn10, .cvn18: saysLength = true
            case .mChip, .mChipCommonSessionKey, .mChipEMV2000: alwaysPads = false
            case .aes: blockLength = AES.blockLength
            }
            if !saysLength { initialisationVector = [UInt8](repeating: 0, count: blockLength) }
        }
    }
}

extension CryptogramVersion {
    /// Whether the scheme has a PIN block that the current PIN is part of: P2 = 01 of PIN CHANGE/UNBLOCK.
    public var takesCurrentPIN: Bool {
        switch self {
        case .cvn10, .cvn18: true
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000, .aes: false
        }
    }
}
