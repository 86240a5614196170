internal import Cryptography
internal import Determinism
internal import SmartCard

/// INTERNAL AUTHENTICATE (EMV Book 3 §6.5.9): the card signs what the terminal sends, for dynamic data
/// authentication (Book 2 §6.5).
extension CardOperatingSystem {
    mutating func internalAuthenticate(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, let transaction = session.transaction, transaction.phase == .initiated,
            let authentication = applications[index].profile.offlineAuthentication,
            authentication.methods.contains(.dda)
        else { return .failed(.conditionsNotSatisfied) }
        // A card without a DDOL is sent the data of the terminal's own.
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

    /// The ICC dynamic number (tag 9F4C).
    func dynamicNumber(
        _ authentication: OfflineAuthenticationProfile, _ transaction: CardTransaction
    ) -> [UInt8] {
        switch authentication.dynamicNumber {
        case .random: random.bytes(8)
        case .counter: transaction.atc.bigEndianBytes
        }
    }

    /// Signed dynamic application data (tag 9F4B; EMV Book 2 tables 15 and 18); nil when the card has no key.
    func dynamicSignature(_ index: Int, _ dynamicData: [UInt8], rest: [UInt8]) -> [UInt8]? {
        guard let key = applications[index].keys.signing else { return nil }
        return try? RecoverableSignature.sign(
            [5, 1, UInt8(truncatingIfNeeded: dynamicData.count)] + dynamicData, rest: rest, with: key,
            hasWrongHash: applications[index].profile.offlineAuthentication?.fault == .dynamicSignature)
    }
}
