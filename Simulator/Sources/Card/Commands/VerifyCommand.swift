internal import CardSecrets
internal import Cryptography
internal import SmartCard

/// VERIFY, with the PIN in the clear or enciphered (EMV Book 3 §6.5.12, Book 2 §7).
extension CardOperatingSystem {
    mutating func verify(_ command: CommandAPDU, challenge: [UInt8]?) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0x80 || command.p2 == 0x88 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, session.transaction?.phase == .initiated else {
            return .failed(.conditionsNotSatisfied)
        }
        let isEnciphered = command.p2 == 0x88
        guard let pin = applications[index].profile.pin, let reference = memories[index].pinBlock else {
            return .failed(.referenceDataInvalidated)
        }
        guard isEnciphered ? pin.encipherment != nil : pin.acceptsPlaintext else {
            return .failed(.incorrectParameters)
        }
        guard memories[index].pinTriesLeft > 0 else { return .failed(.authenticationMethodBlocked) }

        let block: SensitiveBytes
        if isEnciphered {
            guard let key = applications[index].keys.pinDecipherment else {
                return .failed(.referenceDataInvalidated)
            }
            guard command.data.count == key.length else { return .failed(.wrongLength) }
            guard let challenge, let deciphered = Self.decipher(command.data, key: key, challenge: challenge) else {
                return .failed(.referenceDataInvalidated)
            }
            block = deciphered
        } else {
            guard command.data.count == 8 else { return .failed(.wrongLength) }
            block = SensitiveBytes(command.data)
        }
        let isRight = block.isEqual(to: reference.bytes)
        let triesLeft = isRight ? pin.tryLimit : memories[index].pinTriesLeft - 1
        memories[index].pinTriesLeft = triesLeft
        session.transaction?.note(isRight: isRight, isEnciphered: isEnciphered, triesLeft: triesLeft)
        return isRight ? .succeeded() : .failed(StatusWord(0x63, 0xC0 | min(triesLeft, 15)))
    }

    /// Opens 7F, PIN block (8), challenge (8) and random padding; nil when header or challenge is not right.
    private static func decipher(_ data: [UInt8], key: RSAPrivateKey, challenge: [UInt8]) -> SensitiveBytes? {
        guard var plain = try? key.apply(data) else { return nil }
        defer { plain.wipe() }
        guard plain.first == 0x7F, plain.dropFirst(9).prefix(8).elementsEqual(challenge) else { return nil }
        return SensitiveBytes(plain[1..<9])
    }
}

extension CardTransaction {
    fileprivate mutating func note(isRight: Bool, isEnciphered: Bool, triesLeft: UInt8) {
        results.offlinePINPerformed = true
        results.offlinePINFailed = !isRight
        results.offlinePINEnciphered = isEnciphered
        results.pinTriesLeft = triesLeft
        results.pinTryLimitExceeded = triesLeft == 0
    }
}
