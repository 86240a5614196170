import EMV
import EntryPoint
import SmartCard

/// The outcome of a finished flow, and of one that an error ended (Book C-8, states 29 and 30).
extension Kernel8Transaction {
    /// The objects of the data record (Book C-8 table A.11), in its order.
    static let recordTags: [BERTag] = [
        0x9F02, 0x9F03, 0x9F26, 0x5F24, 0x82, 0x50, 0x5A, 0x5F34, 0x9F12, 0x9F36, 0x9F07, 0x9F09, 0x9F_8106, 0x9F_810D,
        0x9F27, 0x9F34, 0x84, 0x9F1E, 0x9F10, 0x9F_8109, 0x9F11, 0x9F24, 0x9F33, 0x9F1A, 0x9F35, 0x95, 0x9F19, 0x57,
        0x5F2A, 0x9A, 0x9C, 0x9F37,
    ]

    /// The transaction types of payments, which show a decline: goods and services, cash, cashback, and two more that
    /// one implementation has. It has 17 and 19 where others have 09 for cashback; all three count.
    private static let payments: Set<UInt8> = [0x00, 0x01, 0x09, 0x17, 0x19]

    /// The result of a flow in which the card has made a cryptogram.
    mutating func finish() -> Kernel8Result {
        let cryptogram = Kernel8Cryptogram(information: database[EMVTag.cryptogramInformation]?.first ?? 0) ?? .aac
        let restart = RestartIndicator(database[Kernel8Tag.restartIndicator])
        var restartMessage: Kernel8Message?
        var message = Kernel8Message(identifier: .notAuthorized, holdTime: configuration.messageHoldTime)
        if restart?.action == .restartsAtB {
            message.identifier = allowed(restart) ?? .presentCardAgain
            restartMessage = Kernel8Message(identifier: message.identifier, status: .readyToRead)
            (parameters.status, parameters.start) = (.endApplication, .b)
        } else if cryptogram == .tc, decision == .accept {
            message.identifier = parameters.method == .signature ? .approvedPleaseSign : .approved
            parameters.status = .approved
        } else if cryptogram == .arqc && decision != .decline || decision == .online && cryptogram != .aac {
            message = Kernel8Message(identifier: .authorizing)
            parameters.status = .onlineRequest
        } else if !Self.payments.contains(configuration.transactionType) {
            message = Kernel8Message(identifier: .clearDisplay)
            parameters.status = .endApplication
        } else if let restart, restart.action == .triesAnotherInterface {
            message.identifier = allowed(restart) ?? .insertOrSwipeCard
            parameters.status = .tryAnotherInterface
            parameters.alternateInterface = restart.alternateInterface
        } else {
            message.identifier = restart.flatMap { allowed($0) } ?? .notAuthorized
            parameters.status = .declined
        }
        parameters.flags |= Kernel8Parameters.outcomeMessageFlag | Kernel8Parameters.dataRecordFlag
        if restartMessage != nil { parameters.flags |= Kernel8Parameters.restartMessageFlag }
        return database.result(
            configuration, parameters, message: message, restartMessage: restartMessage,
            dataRecord: database.record(Self.recordTags, shown: configuration.shownTags),
            coveredResults: coveredResults,
            isDeclinedByTerminal: parameters.status == .declined && (askedDecision == .decline || cryptogram != .aac),
            error: nil)
    }

    /// The message of the card, if the reader shows it (9F821D).
    private func allowed(_ restart: RestartIndicator?) -> MessageIdentifier? {
        guard let byte = restart?.message, configuration.messagesOnRestart.contains(byte) else { return nil }
        return MessageIdentifier(rawValue: byte)
    }

    /// The result of an error after GET PROCESSING OPTIONS was sent.
    func end(_ error: Kernel8Error) -> Kernel8Result {
        switch error {
        case .refused(.getProcessingOptions, _):
            return database.result(
                configuration, Kernel8Parameters(status: .selectNext, start: .c), message: nil, error: error)
        case .transactionData:
            return database.result(configuration, Kernel8Parameters(), message: nil, error: error)
        case .exchange(.canceled): return end(error, with: Kernel8Message(identifier: .clearDisplay))
        case .exchange where !isCryptogramAsked:
            // The card has counted at most the activation: it may be presented again.
            var parameters = Kernel8Parameters(start: .b)
            parameters.flags |= Kernel8Parameters.restartMessageFlag
            return database.result(
                configuration, parameters, message: nil,
                restartMessage: Kernel8Message(identifier: .presentCardAgain, status: .readyToRead), error: error)
        default:
            let holdTime: [UInt8] = isCryptogramAsked ? configuration.messageHoldTime : [0, 0, 0]
            return end(error, with: Kernel8Message(identifier: .useAnotherCard, holdTime: holdTime))
        }
    }

    private func end(_ error: Kernel8Error, with message: Kernel8Message) -> Kernel8Result {
        var parameters = Kernel8Parameters()
        parameters.flags |= Kernel8Parameters.outcomeMessageFlag
        parameters.fieldOff = self.parameters.fieldOff
        return database.result(configuration, parameters, message: message, error: error)
    }
}

extension Kernel8Database {
    /// The result with these parameters and messages, and the discretionary data of the configuration.
    func result(
        _ configuration: Kernel8Configuration?, _ parameters: Kernel8Parameters, message: Kernel8Message?,
        restartMessage: Kernel8Message? = nil, dataRecord: SecretDataObject? = nil, coveredResults: [UInt8]? = nil,
        isDeclinedByTerminal: Bool = false, error: Kernel8Error?
    ) -> Kernel8Result {
        let languages = self[EMVTag.languagePreference] ?? []
        let indication = Self.indication(of: error, message)
        var told = self
        told[Kernel8Tag.errorIndication] = indication
        return Kernel8Result(
            parameterSet: parameters.bytes, userInterfaceRequest: message?.bytes(languages: languages),
            restartRequest: restartMessage?.bytes(languages: languages), dataRecord: dataRecord,
            coveredResults: coveredResults, isDeclinedByTerminal: isDeclinedByTerminal,
            discretionaryData: told.record(
                configuration?.discretionaryTags ?? [Kernel8Tag.errorIndication],
                shown: configuration?.shownTags ?? [:]), errorIndication: indication, error: error)
    }

    /// Six bytes; the last one is the message of the error.
    private static func indication(of error: Kernel8Error?, _ message: Kernel8Message?) -> [UInt8] {
        guard let error else { return [0, 0, 0, 0, 0, 0xFF] }
        return error.indication + [message?.identifier.rawValue ?? 0xFF]
    }
}

/// The card's wish for the time after this tap (tag 9F8108). Bytes 3 to 5 have no known meaning.
struct RestartIndicator: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case restartsAtB, triesAnotherInterface
        /// Also for the values without a known meaning.
        case none
    }

    let action: Action
    /// Byte 6 of the outcome parameter set.
    let alternateInterface: UInt8
    /// The message of the card; nil for none.
    let message: UInt8?

    /// Reads 2 to 5 bytes.
    init?(_ bytes: [UInt8]?) {
        guard let bytes, bytes.count >= 2 else { return nil }
        action =
            switch bytes[0] >> 4 {
            case 2: .restartsAtB
            case 3: .triesAnotherInterface
            default: .none
            }
        alternateInterface =
            switch bytes[0] & 0x0F {
            case 1: 0x10
            case 2: 0x20
            default: 0xF0
            }
        message = bytes[1] == 0 ? nil : bytes[1]
    }
}
