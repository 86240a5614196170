import Cryptography
import EMV
import SmartCard

/// GENERATE APPLICATION CRYPTOGRAM (EMV Book 3 §6.5.5).
extension CardOperatingSystem {
    private typealias Answer = CardVerificationResults.Answer

    mutating func generateAC(_ command: CommandAPDU) -> ResponseAPDU {
        let (asksForSignature, asksForExtended) = (command.p1 & 0x10 != 0, command.p1 & 0x08 != 0)
        guard command.p2 == 0, command.p1 & 0x27 == 0, !asksForSignature || !asksForExtended,
            let asked = Answer(rawValue: command.p1 >> 6)
        else {
            return .failed(.incorrectParameters)
        }
        guard let index = selectedIndex, var transaction = session.transaction else {
            return .failed(.conditionsNotSatisfied)
        }
        let profile = applications[index].profile
        guard !asksForSignature || profile.offlineAuthentication?.methods.contains(.cda) == true,
            !asksForExtended || profile.signsOnCurve
        else { return .failed(.incorrectParameters) }
        let isFirst: Bool
        switch transaction.phase {
        case .initiated: isFirst = true
        case .awaitingIssuer where asked != .arqc: isFirst = false
        case .awaitingIssuer, .completed: return .failed(.conditionsNotSatisfied)
        }
        guard let values = (isFirst ? profile.cdol1 : profile.cdol2).split(command.data) else {
            return .failed(.wrongLength)
        }
        transaction.terminalValues.merge(values) { $1 }
        transaction.terminalData += command.data

        let answer: Answer
        if isFirst {
            let risk = risk(index, transaction)
            transaction.results.exceededLimits = risk.exceededLimits
            transaction.results.isInternational = risk.isInternational
            transaction.results.expectedPINMissing = profile.pin != nil && !transaction.results.offlinePINPerformed
            answer = risk.first(asked: asked)
            transaction.results.first = answer
        } else {
            authenticateIssuerByDataObject(index, &transaction)
            answer = risk(index, transaction).second(asked: asked)
            transaction.results.second = answer
            transaction.results.unableToGoOnline = !risk(index, transaction).wentOnline
        }
        // An AAC is never signed.
        let isSigned = asksForSignature && answer != .aac
        transaction.results.combinedDataAuthenticationPerformed = isSigned
        let information = IssuerApplicationData(
            version: profile.cryptogram, derivationKeyIndex: 1, results: transaction.results
        ).encoded
        guard let cryptogram = try? cryptogram(index, transaction, information) else {
            return .failed(.internalFailure)
        }

        let cryptogramInformation = answer.rawValue << 6 | Self.reason(transaction)
        let data: [UInt8]
        if isSigned {
            guard
                let signed = signedCryptogram(
                    index, transaction, cryptogramInformation: cryptogramInformation, cryptogram: cryptogram,
                    information: information)
            else { return .failed(.internalFailure) }
            data = signed
        } else if asksForExtended {
            let covered = isFirst ? transaction.terminalData : command.data
            let plain = Self.answer(
                cryptogramInformation, transaction.atc, cryptogram, information, inFormatTwo: true)
            guard let signed = extendedAnswer(index, plain, covering: covered) else {
                return .failed(.internalFailure)
            }
            data = signed
        } else {
            data = Self.answer(
                cryptogramInformation, transaction.atc, cryptogram, information,
                inFormatTwo: profile.answersInFormatTwo)
        }

        transaction.phase = answer == .arqc ? .awaitingIssuer : .completed
        if answer == .arqc {
            transaction.arqc = cryptogram
            transaction.unpredictableNumber = transaction.terminalValues[0x9F37] ?? []
        }
        remember(index, transaction, answer: answer, cryptogramInformation: cryptogramInformation, isFirst: isFirst)
        session.transaction = transaction
        return .succeeded(data)
    }

    private func risk(_ index: Int, _ transaction: CardTransaction) -> CardRiskManagement {
        var memory = memories[index]
        memory.isBlocked = memory.isBlocked || isBlocked
        return CardRiskManagement(profile: applications[index].profile, memory: memory, transaction: transaction)
    }

    private func cryptogram(
        _ index: Int, _ transaction: CardTransaction, _ information: [UInt8]
    ) throws(CryptogramError) -> [UInt8] {
        let profile = applications[index].profile
        let input = try ApplicationCryptogram.Input { tag in
            switch tag {
            case 0x82: profile.interchangeProfile
            case 0x9F36: transaction.atc.bigEndianBytes
            case 0x9F10: information
            default: transaction.terminalValues[tag]
            }
        }
        return try ApplicationCryptogram.compute(input, masterKey: applications[index].keys.applicationCryptogram)
    }

    /// Returns the reason code in the low bits of the cryptogram information data (EMV Book 3 table 15).
    private static func reason(_ transaction: CardTransaction) -> UInt8 {
        if transaction.issuerAuthentication == .failed { return 0b011 }
        return transaction.results.pinTryLimitExceeded ? 0b010 : 0
    }

    /// Records what later transactions depend on.
    private mutating func remember(
        _ index: Int, _ transaction: CardTransaction, answer: Answer, cryptogramInformation: UInt8, isFirst: Bool
    ) {
        let lastFour = applications[index].profile.pan.copy().suffix(4).map { String($0) }.joined()
        keep(
            IssuedCryptogram(
                kind: IssuedCryptogram.Kind(answer), counter: transaction.atc, minorUnits: transaction.amount,
                lastFour: lastFour))
        let risk = risk(index, transaction)
        if isFirst {
            memories[index].finishFirst(answer, risk)
        } else {
            memories[index].finishSecond(answer, risk)
        }
        if answer == .tc { log(index, transaction, cryptogramInformation) }
    }

    private mutating func log(_ index: Int, _ transaction: CardTransaction, _ cryptogramInformation: UInt8) {
        let record = CardApplication.logFormat.flatMap { (tag, count) -> [UInt8] in
            switch tag {
            case 0x9F36: transaction.atc.bigEndianBytes
            case 0x9F27: [cryptogramInformation]
            default: transaction.terminalValues[tag] ?? [UInt8](repeating: 0, count: count)
            }
        }
        let capacity = Int(applications[index].profile.logRecords)
        memories[index].log = Array(([record] + memories[index].log).prefix(capacity))
    }

    private static func answer(
        _ cryptogramInformation: UInt8, _ atc: UInt16, _ cryptogram: [UInt8], _ information: [UInt8],
        inFormatTwo: Bool
    ) -> [UInt8] {
        guard inFormatTwo else {
            return BERTLV.encode(0x80, [cryptogramInformation] + atc.bigEndianBytes + cryptogram + information)
        }
        return BERTLV(
            0x77,
            children: [
                BERTLV(0x9F27, [cryptogramInformation]), BERTLV(0x9F36, atc.bigEndianBytes),
                BERTLV(0x9F26, cryptogram), BERTLV(0x9F10, information),
            ]
        ).encoded
    }
}

/// The response to GENERATE AC with combined data authentication (EMV Book 2 §6.6.1).
extension CardOperatingSystem {
    /// Returns a template 77 with the cryptogram inside the card's signature; nil if the card has no key.
    ///
    /// The signature contains a hash over all data sent by the terminal and all plaintext data of the response, and
    /// is bound to the terminal's unpredictable number.
    func signedCryptogram(
        _ index: Int, _ transaction: CardTransaction, cryptogramInformation: UInt8, cryptogram: [UInt8],
        information: [UInt8]
    ) -> [UInt8]? {
        guard let authentication = applications[index].profile.offlineAuthentication else { return nil }
        let counter = [
            BERTLV(0x9F27, [cryptogramInformation]), BERTLV(0x9F36, transaction.atc.bigEndianBytes),
        ]
        let issuerData = BERTLV(0x9F10, information)
        let answer = (counter + [issuerData]).flatMap(\.encoded)
        guard let hash = try? SHA1.hash(transaction.terminalData + answer) else { return nil }
        let number = dynamicNumber(authentication, transaction)
        let dynamicData = [UInt8(number.count)] + number + [cryptogramInformation] + cryptogram + hash
        guard
            let signature = dynamicSignature(index, dynamicData, rest: transaction.terminalValues[0x9F37] ?? [])
        else { return nil }
        return BERTLV(0x77, children: counter + [BERTLV(0x9F4B, signature), issuerData]).encoded
    }
}

/// The response to GENERATE AC with extended data authentication (EMV Book 2 §12.5.2).
extension CardOperatingSystem {
    /// Returns the template 77 with the card's signature over the terminal's data and the template's data objects; nil
    /// if the card has no key.
    private func extendedAnswer(_ index: Int, _ template: [UInt8], covering terminalData: [UInt8]) -> [UInt8]? {
        let application = applications[index]
        guard let key = application.keys.ellipticSigning, let object = try? BERTLV.parse(template).first else {
            return nil
        }
        let fault = application.profile.offlineAuthentication?.fault
        if fault == .unsigned { return template }
        let message = [ExtendedSignature.format] + terminalData + object.children.flatMap(\.encoded)
        guard var signature = try? ECSDSA.sign(message, key: key, random: random) else { return nil }
        if fault == .dynamicSignature { signature[0] ^= 0xFF }
        let signed = BERTLV(0x9F4B, [ExtendedSignature.format] + signature)
        return BERTLV(object.tag, children: object.children + [signed]).encoded
    }
}

/// A cryptogram issued by a simulated card: evidence of what the card agreed to.
public struct IssuedCryptogram: Hashable, Sendable {
    /// The card's decision (EMV Book 3 table 14).
    public enum Kind: String, Hashable, Sendable {
        /// AAC.
        case declined
        /// TC.
        case approved
        /// ARQC.
        case asksIssuer
    }

    public var kind: Kind
    /// The ATC (tag 9F36), one for each transaction of an application.
    public var counter: UInt16
    /// The amount requested by the terminal (tag 9F02), in minor units; nil if the terminal sent none.
    public var minorUnits: Int64?
    /// The last four digits of the PAN.
    public var lastFour: String

    /// Takes the ATC, the amount if the card saw one, and the last four digits of the PAN.
    public init(kind: Kind, counter: UInt16, minorUnits: Int64?, lastFour: String) {
        (self.kind, self.counter, self.minorUnits, self.lastFour) = (kind, counter, minorUnits, lastFour)
    }
}

extension IssuedCryptogram.Kind {
    init(_ answer: CardVerificationResults.Answer) {
        self =
            switch answer {
            case .aac: .declined
            case .tc: .approved
            case .arqc: .asksIssuer
            }
    }
}
