import CardSecrets
import Cryptography
import Determinism
import SmartCard

/// INTERNAL AUTHENTICATE (EMV Book 3 §6.5.9): signs terminal data for dynamic data authentication (Book 2 §6.5).
extension CardOperatingSystem {
    mutating func internalAuthenticate(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, let transaction = session.transaction, transaction.phase == .initiated,
            let authentication = applications[index].profile.offlineAuthentication,
            authentication.methods.contains(.dda)
        else { return .failed(.conditionsNotSatisfied) }
        // For a card without a DDOL the terminal uses its default DDOL.
        guard authentication.ddol.entries.isEmpty || command.data.count == authentication.ddol.dataLength else {
            return .failed(.wrongLength)
        }
        let number = dynamicNumber(authentication, transaction)
        guard let signature = dynamicSignature(index, [UInt8(number.count)] + number, rest: command.data) else {
            return .failed(.internalFailure)
        }
        session.transaction?.results.dynamicDataAuthenticationPerformed = true
        return .succeeded(
            applications[index].profile.answersInFormatTwo
                ? BERTLV(0x77, children: [BERTLV(0x9F4B, signature)]).encoded : BERTLV.encode(0x80, signature))
    }

    /// Returns the ICC dynamic number (tag 9F4C).
    func dynamicNumber(
        _ authentication: OfflineAuthenticationProfile, _ transaction: CardTransaction
    ) -> [UInt8] {
        switch authentication.dynamicNumber {
        case .random: random.bytes(8)
        case .counter: transaction.atc.bigEndianBytes
        }
    }

    /// Returns the signed dynamic application data (tag 9F4B; EMV Book 2 tables 15 and 18); nil if the card has no
    /// key.
    func dynamicSignature(_ index: Int, _ dynamicData: [UInt8], rest: [UInt8]) -> [UInt8]? {
        guard let key = applications[index].keys.signing else { return nil }
        return try? RecoverableSignature.sign(
            [5, 1, UInt8(truncatingIfNeeded: dynamicData.count)] + dynamicData, rest: rest, with: key,
            hasWrongHash: applications[index].profile.offlineAuthentication?.fault == .dynamicSignature)
    }
}

/// EXTERNAL AUTHENTICATE, and the same check for cards that take issuer authentication data in CDOL2 (EMV Book 3
/// §6.5.4 and §10.9).
extension CardOperatingSystem {
    mutating func externalAuthenticate(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, applications[index].profile.externalAuthenticate,
            var transaction = session.transaction, transaction.phase == .awaitingIssuer,
            transaction.issuerAuthentication == .notPerformed
        else { return .failed(.conditionsNotSatisfied) }
        guard (8...16).contains(command.data.count) else { return .failed(.wrongLength) }
        authenticateIssuer(index, command.data, &transaction)
        session.transaction = transaction
        return transaction.issuerAuthentication == .failed ? .failed(.authenticationFailed) : .succeeded()
    }

    /// Checks tag 91 in the data of the second GENERATE AC. Zeros mean that the terminal has none.
    mutating func authenticateIssuerByDataObject(_ index: Int, _ transaction: inout CardTransaction) {
        guard transaction.issuerAuthentication == .notPerformed, let data = transaction.terminalValues[0x91],
            data.contains(where: { $0 != 0 })
        else { return }
        authenticateIssuer(index, data, &transaction)
    }

    private mutating func authenticateIssuer(_ index: Int, _ data: [UInt8], _ transaction: inout CardTransaction) {
        let content = try? IssuerAuthenticationData.verify(
            data,
            IssuerAuthenticationData.Context(
                version: applications[index].profile.cryptogram, atc: transaction.atc,
                unpredictableNumber: transaction.unpredictableNumber, arqc: transaction.arqc ?? []),
            masterKey: applications[index].keys.applicationCryptogram)
        transaction.results.issuerAuthenticationPerformed = true
        guard let content else {
            transaction.issuerAuthentication = .failed
            transaction.results.issuerAuthenticationFailed = true
            return
        }
        transaction.issuerAuthentication = .succeeded(content)
        if case .cardStatusUpdate(let update) = content { apply(update, index, &transaction) }
    }

    /// Applies the card status update of the issuer (EMV Book 3 annex C10).
    private mutating func apply(_ update: CardStatusUpdate, _ index: Int, _ transaction: inout CardTransaction) {
        if update.blocksCard { isBlocked = true }
        if update.blocksApplication { memories[index].isBlocked = true }
        if update.updatesPINTryCounter, let limit = applications[index].profile.pin?.tryLimit {
            memories[index].pinTriesLeft = min(update.pinTryCounter, limit)
            transaction.results.pinTriesLeft = memories[index].pinTriesLeft
            transaction.results.pinTryLimitExceeded = memories[index].pinTriesLeft == 0
        }
    }
}

/// GET CHALLENGE (EMV Book 3 §6.5.6).
extension CardOperatingSystem {
    mutating func getChallenge(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard selectedIndex != nil else { return .failed(.conditionsNotSatisfied) }
        let challenge = random.bytes(8)
        session.challenge = challenge
        return .succeeded(challenge)
    }
}

/// VERIFY with a plaintext or enciphered PIN (EMV Book 3 §6.5.12, Book 2 §7).
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

    /// Deciphers 7F, PIN block (8), challenge (8), and random padding; returns nil if the header or challenge is
    /// wrong.
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
