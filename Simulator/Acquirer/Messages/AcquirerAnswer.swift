import ISO8583
import Money

/// The answer to a message, and what to tell about it.
struct AcquirerAnswer: Sendable {
    /// The answer; nil when it must not be sent.
    var message: ISOMessage?
    /// Why it must not be sent.
    var trouble: AcquirerLedgerError?
    let response: String
    let state: AcquirerRecord.State?
    let isRepeat: Bool
    let refusal: AcquirerRefusal?

    /// The fields that answers repeat, besides those that the profile demands.
    private static let repeated = [3, 4, 7, 11, 12, 13, 32, 37, 38, 41, 42, 49]

    init(request: AcquirerRequest, decision: AcquirerDecision, isRepeat: Bool, profile: MessageProfile) {
        response =
            decision.response ?? ResponseCodes.text(decision.code, answering: request.kind, profile.version)
        state = request.isAboutMoney ? decision.state : nil
        (self.isRepeat, refusal) = (isRepeat, decision.refusal)
        var answer = Self.start(request.message, type: request.answerType, profile)
        answer.set(39, response)
        var fields = decision.fields
        if !answer.fields.contains(37) { fields[37] = decision.reference }
        if let code = decision.authorizationCode { fields[38] = code }
        for (field, value) in fields where profile.table[field] != nil { answer.set(field, value) }
        if let chip = decision.chip, request.message.fields.contains(55) { answer.set(55, bytes: chip) }
        message = answer
    }

    /// Makes the answer to a message that the acquirer does not carry out.
    init(refusing message: ISOMessage, code: String, _ refusal: AcquirerRefusal? = nil, profile: MessageProfile) {
        response = ResponseCodes.text(code, answering: nil, profile.version)
        (state, isRepeat, self.refusal) = (nil, false, refusal)
        guard let type = message.type.answer else { return }
        var answer = Self.start(message, type: type, profile)
        answer.set(39, response)
        self.message = answer
    }

    private static func start(_ request: ISOMessage, type: MessageType, _ profile: MessageProfile) -> ISOMessage {
        var answer = ISOMessage(type)
        var fields = FieldSet(repeated + profile.matching.key + profile.matching.echoed)
        switch request.type.messageClass {
        case 5: [15, 28, 29, 50, 66, 97].forEach { fields.insert($0) }
        case 8: fields.insert(70)
        default: break
        }
        // The network identifier of 1987; a function code afterward, which an answer does not repeat.
        if profile.version == .v1987 { fields.insert(24) }
        for field in fields where !ISOMessage.secretFields.contains(field) && !request.isSecret(field) {
            if let value = request.bytes(of: field) { answer.set(field, bytes: value) }
        }
        return answer
    }
}
