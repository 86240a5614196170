import Determinism
import EMV
import ISO8583
import Money
import Payments
import SmartCard
import Text

/// Makes the messages of payments by a profile.
///
/// The values that later messages repeat come from a ``MessageIdentity``, which is made first and kept in the journal.
/// What else a message has, such as card data, is added when it is sent.
struct AcquirerMessages {
    let profile: MessageProfile
    let terminal: AcquirerTerminal
    let numbers: TraceNumberPlan
    let time: any TimeSource

    init(_ profile: MessageProfile, terminal: AcquirerTerminal, time: any TimeSource) {
        (self.profile, self.terminal, self.time) = (profile, terminal, time)
        numbers = TraceNumberPlan(profile)
    }

    /// The message of the profile for a subject.
    func kind(of subject: MessageSubject) -> MessageKind {
        switch subject.kind {
        case .sale: .sale
        case .preauthorization: .authorization
        case .refund: .refund
        case .increment: .increment
        case .advice(.offlineApproval): .offlineAdvice
        case .advice(.capture): .completion
        case .advice: .declineAdvice
        }
    }

    /// Makes the values of the first message about a subject.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func identity(
        of subject: MessageSubject, at destination: String?
    ) throws(HostFailure) -> MessageIdentity {
        let kind = kind(of: subject)
        let form = try form(kind)
        let now = time.now()
        let local = MessageDates.local(now.civil(offsetSeconds: time.offsetSeconds(at: now)), profile.version)
        let number = profile.field11(numbers.request(subject.stan))
        var values = commonValues
        (values[4], values[49]) = (amount(subject.amount), subject.amount.currency.numericCode.zeroPadded(to: 3))
        (values[7], values[11]) = (MessageDates.transmission(now), number)
        (values[12], values[13]) = (local.field12, local.field13)
        values[22] = EntryModeField(profile: profile, hasPINPad: terminal.hasPINPad).value(subject)
        if let sequence = subject.cardSequenceNumber { values[23] = sequence.zeroPadded(to: 3) }
        if profile.version == .v1987, profile.values.fixed[25] == nil {
            let condition = subject.kind == .advice(.capture) ? profile.values.condition["completion"] : nil
            values[25] = condition ?? profile.values.condition["attended"]
        }
        if profile.values.reference == .terminal { values[37] = reference(now, number) }
        if let original = subject.original {
            // The terminal and the merchant by whose numbers the host finds it, whatever the configuration has by now.
            for field in [41, 42] { values[field] = original[field] ?? values[field] }
            // How the card was read, and what the host called the authorization.
            if subject.kind == .increment {
                for field in [22, 23, 37, 38] { values[field] = original[field] ?? values[field] }
            }
        }
        values.merge(derived(form)) { $1 }
        let isReversedAlone = profile.matching.stanOfReversal == .fresh && kind != .completion && kind != .declineAdvice
        return MessageIdentity(
            type: "\(form.type)", fields: filled(values, form), destination: destination,
            reversalNumber: isReversedAlone ? profile.field11(numbers.reversal(subject.stan)) : nil)
    }

    /// Makes the request about a card.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func request(
        _ kind: MessageKind, _ identity: MessageIdentity, card: borrowing PresentedCard
    ) throws(HostFailure) -> ISOMessage {
        let form = try form(kind)
        var message = start(form, identity.fields)
        // Field 26 of 1987 is the most digits that the pad takes.
        try CardFields(profile: profile).set(card, in: &message, form.allowed)
        if profile.version == .v1987, message.fields.contains(52), form.allowed.contains(26) { message.set(26, "12") }
        return try checked(message, kind, form)
    }

    /// Makes the refund of a payment, without card data.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func refund(_ identity: MessageIdentity, of original: MessageIdentity?) throws(HostFailure) -> ISOMessage {
        let form = try form(.refund)
        var values = identity.fields
        if let original {
            values.merge(originalData(original, form)) { $1 }
            // The host finds the payment by the reference that it gave it.
            if profile.values.reference == .host { values[37] = original[37] }
        }
        return try checked(start(form, values), .refund, form)
    }

    /// Makes the message that raises what an authorization holds.
    ///
    /// - Parameters:
    ///   - identity: the values of this message.
    ///   - original: the authorization with the host's answer.
    ///   - card: the fields of the card that were kept, by number.
    /// - Returns: the message.
    /// - Throws: ``HostFailure/notSent(_:)``
    func increment(
        _ identity: MessageIdentity, of original: MessageIdentity, card: [Int: SecretValue] = [:]
    ) throws(HostFailure) -> ISOMessage {
        let form = try form(.increment)
        var values = identity.fields
        values.merge(originalData(original, form)) { $1 }
        return try checked(start(form, values, card), .increment, form)
    }

    /// Makes a reversal of a message. `card`: the fields of the card that were kept, by number.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func reversal(
        _ request: ReversalRequest, of original: MessageIdentity, card: [Int: SecretValue] = [:]
    ) throws(HostFailure) -> ISOMessage {
        let form = try form(.reversal)
        var values = original.fields
        values.merge(derived(form)) { $1 }
        values[7] = MessageDates.transmission(time.now())
        // Of a hold that was raised, all of it.
        if let total = request.heldTotal { values[4] = amount(total) ?? values[4] }
        if profile.matching.stanOfReversal == .fresh {
            values[11] = original.reversalNumber ?? profile.field11(numbers.reversal(request.stan))
        }
        if let field = profile.values.reversalReasonField { values[field] = reason(request.reason) }
        values.merge(originalData(original, form)) { $1 }
        var message = start(form, values, card)
        if form.allowed.contains(55) {
            CardFields(profile: profile).set(request.iccData, for: "reversal", in: &message)
        }
        return try checked(message, .reversal, form)
    }

    /// Makes an advice about a payment that ended offline. `card`: the fields of the card that were kept, by number.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func advice(
        _ advice: AdviceRequest, _ identity: MessageIdentity, card: [Int: SecretValue] = [:]
    ) throws(HostFailure) -> ISOMessage {
        let kind = kind(of: advice.subject)
        let form = try form(kind)
        var values = identity.fields
        values.merge(derived(form)) { $1 }
        values[7] = MessageDates.transmission(time.now())
        values[39] = result(of: advice)
        var message = start(form, values, card)
        if form.allowed.contains(55) { CardFields(profile: profile).set(advice.iccData, for: "advice", in: &message) }
        return try checked(message, kind, form)
    }

    /// Makes the message that captures what an authorization holds.
    ///
    /// - Parameters:
    ///   - identity: the values of this message.
    ///   - original: the authorization with the host's answer.
    ///   - card: the fields of the card that were kept, by number.
    /// - Returns: the message.
    /// - Throws: ``HostFailure/notSent(_:)``
    func completion(
        _ identity: MessageIdentity, of original: MessageIdentity, card: [Int: SecretValue] = [:]
    ) throws(HostFailure) -> ISOMessage {
        let form = try form(.completion)
        var values = original.fields
        values.merge(identity.fields) { $1 }
        // How the card was read, and what the host called the authorization.
        for field in [22, 23, 37, 38] { values[field] = original[field] }
        values.merge(derived(form)) { $1 }
        values[7] = MessageDates.transmission(time.now())
        values.merge(originalData(original, form)) { $1 }
        return try checked(start(form, values, card), .completion, form)
    }

    /// Makes the question for the result of a message, without card data. It has no trace number: the link gives it one
    /// of its own, so that a late answer to the message can't be taken for one to the question.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func inquiry(about original: MessageIdentity) throws(HostFailure) -> ISOMessage {
        let form = try form(.inquiry)
        let now = time.now()
        let local = MessageDates.local(now.civil(offsetSeconds: time.offsetSeconds(at: now)), profile.version)
        let data = originalData(original, form)
        guard !data.isEmpty else {
            throw .notSent(.missingField(profile.matching.originalData == .field56 ? 56 : 90, .inquiry))
        }
        var values = original.fields
        values.merge(derived(form)) { $1 }
        values[7] = MessageDates.transmission(now)
        (values[12], values[13]) = (local.field12, local.field13)
        values[11] = nil
        values.merge(data) { $1 }
        let message = start(form, values)
        for field in form.mandatory where field != 11 && !message.fields.contains(field) {
            throw .notSent(.missingField(field, .inquiry))
        }
        return message
    }

    // MARK: Values

    private func form(_ kind: MessageKind) throws(HostFailure) -> MessageForm {
        guard let form = profile.messages[kind] else { throw .notSent(.noMessage(kind)) }
        return form
    }

    /// The values that are the same in every message.
    private var commonValues: [Int: String] {
        var values: [Int: String] = [32: terminal.acquirer ?? ""]
        values[profile.version == .v1987 ? 18 : 26] = terminal.category.zeroPadded(to: 4)
        // 2003 has a composite there.
        if profile.table[43]?.attribute != .b { values[43] = terminal.location(profile.values.location) }
        values.merge(profile.values.fixed) { $1 }
        values[41] = terminal.identity.terminal ?? values[41]
        values[42] = terminal.identity.merchant ?? values[42]
        return values.filter { !$0.value.isEmpty }
    }

    /// The values that follow from the kind of a message.
    private func derived(_ form: MessageForm) -> [Int: String] {
        var values: [Int: String] = [:]
        if let processing = form.processing { values[3] = profile.values.processing[processing] }
        if let function = form.function { values[24] = function }
        if let reason = form.reason { values[25] = reason }
        return values
    }

    /// Field 4; nil when the amount has more digits than the field.
    private func amount(_ amount: Money) -> String? {
        TransactionAmount(
            minorUnits: amount.minorUnits, currency: amount.currency.numericCode.zeroPadded(to: 3),
            exponent: amount.currency.exponent
        ).text(profile.version)
    }

    /// Field 37 of a terminal: last digit of the year, day of the year, hour, and six digits of the trace number.
    private func reference(_ now: Timestamp, _ number: String) -> String {
        let date = now.civil(offsetSeconds: time.offsetSeconds(at: now))
        let day = date.dayNumber - CivilDate(year: date.year, month: 1, day: 1).dayNumber + 1
        return "\(date.year % 10)" + day.zeroPadded(to: 3) + date.hour.zeroPadded(to: 2) + number.suffix(6)
    }

    private func reason(_ reason: ReversalRequest.Reason) -> String? {
        let reasons = profile.values.reversalReason
        return switch reason {
        case .timeout: reasons["timeout"]
        case .cardDeclined: reasons["card"]
        case .canceled: reasons["customer"]
        case .interrupted: reasons["malfunction"] ?? reasons["timeout"]
        }
    }

    /// Field 39 of an advice: in 1987 the terminal's own code, such as Y1; later a code of the edition.
    private func result(of advice: AdviceRequest) -> String? {
        let isApproval = advice.purpose == .offlineApproval
        switch profile.version {
        case .v1987:
            let code = advice.iccData.first { $0.tag == EMVTag.responseCode }?.value
            return code.map { String(decoding: $0, as: UTF8.self) } ?? (isApproval ? "Y1" : "Z1")
        case .v1993: return isApproval ? profile.results.approved.first : "100"
        case .v2003: return isApproval ? profile.results.approved.first : "1000"
        }
    }

    /// Field 90 or 56.
    private func originalData(_ original: MessageIdentity, _ form: MessageForm) -> [Int: String] {
        let field: Int
        switch profile.matching.originalData {
        case .none: return [:]
        case .field90: field = 90
        case .field56: field = 56
        }
        guard form.allowed.contains(field), let type = MessageType(original.type) else { return [:] }
        let data = OriginalData(
            type: type, traceNumber: original[11] ?? "", time: original[field == 90 ? 7 : 12] ?? "",
            acquirer: original[32] ?? "", forwarder: original[33] ?? "")
        guard let text = field == 90 ? data.field90 : data.field56(profile.version) else { return [:] }
        return [field: text]
    }

    // MARK: Messages

    private func filled(_ values: [Int: String], _ form: MessageForm) -> [Int: String] {
        values.reduce(into: [:]) { $0[$1.key] = profile.filled($1.value, $1.key) }
    }

    /// A message with those of the values that its form has. Of the card it has what its form demands, and no other
    /// secret.
    private func start(
        _ form: MessageForm, _ values: [Int: String], _ card: [Int: SecretValue] = [:]
    ) -> ISOMessage {
        var message = ISOMessage(form.type)
        for field in form.allowed where !ISOMessage.secretFields.contains(field) {
            if let value = values[field], !value.isEmpty { message.set(field, profile.filled(value, field)) }
        }
        for field in form.sealedFields {
            if let value = card[field] { message.set(field, secret: value) }
        }
        return message
    }

    private func checked(
        _ message: ISOMessage, _ kind: MessageKind, _ form: MessageForm
    ) throws(HostFailure) -> ISOMessage {
        for field in form.mandatory where !message.fields.contains(field) {
            throw .notSent(.missingField(field, kind))
        }
        return message
    }
}

extension MessageForm {
    /// The fields that the message may have.
    var allowed: FieldSet { FieldSet(Array(mandatory) + Array(conditional)) }
}
