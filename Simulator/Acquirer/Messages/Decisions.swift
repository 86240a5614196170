import Determinism
import EMV
import ISO8583
import Money
import Payments
import Simulator
import SmartCard
import Text

extension SimulatedAcquirer {
    /// Decides about a message that did not come before.
    ///
    /// - Returns: nil when the issuer gave no answer, so that the acquirer gives none.
    /// - Throws: ``AcquirerRefusal``
    func decide(_ request: AcquirerRequest) async throws(AcquirerRefusal) -> AcquirerDecision? {
        switch request.kind {
        case .authorization, .sale: return try await authorize(request)
        case .settlement: return try settle(request)
        default: break
        }
        do throws(PaymentHostError) {
            switch request.kind {
            case .refund: return try await refund(request)
            case .void: return try await void(request)
            case .completion: return try await complete(request)
            case .increment: return try await increment(request)
            case .offlineAdvice, .declineAdvice: return try await advise(request)
            default: return try await reverse(request)
            }
        } catch {
            return Self.decision(error)
        }
    }

    private static func decision(_ error: PaymentHostError) -> AcquirerDecision? {
        guard case .notSent = error else { return nil }
        var decision = AcquirerDecision(ResponseCodes.busy)
        decision.isRecorded = false
        return decision
    }

    private func authorize(_ request: AcquirerRequest) async throws(AcquirerRefusal) -> AcquirerDecision? {
        guard let amount = request.amount else { throw .missing([4, 49]) }
        let authorization = AuthorizationRequest(
            key: issuerKey(request.key), stan: request.stan, amount: amount,
            date: request.localTime ?? time.localDate(), isPreauthorization: request.kind == .authorization,
            card: try await request.card(profile, pins))
        let response: AuthorizationResponse
        do throws(PaymentHostError) { response = try await issuer.authorize(authorization) } catch {
            return Self.decision(error)
        }
        var decision = AcquirerDecision(response.responseCode)
        if response.isApproved {
            decision.state = request.kind == .authorization ? .authorized : .approved
            decision.moved = request.kind == .authorization ? 0 : (response.approvedAmount ?? amount).minorUnits
            if let part = response.approvedAmount {
                decision.fields[4] = request.field4(part, profile.version)
                decision.approved = part.minorUnits
            }
        }
        decision.authorizationCode = response.answer.authorizationCode
        decision.chip = response.answer.field55(atMost: profile.table[55]?.length.maximum ?? 0)
        return decision
    }

    /// The transaction that a message is about.
    private func original(of request: AcquirerRequest) -> AcquirerRecord? {
        request.original.flatMap { book.original($0, terminal: request.key.terminal) }
    }

    private func refund(_ request: AcquirerRequest) async throws(PaymentHostError) -> AcquirerDecision {
        guard let amount = request.amount, var original = original(of: request), original.moved > 0,
            original.kind != .refund
        else { return AcquirerDecision(ResponseCodes.notFound) }
        let response = try await issuer.refund(
            HostRefundRequest(
                key: issuerKey(request.key), original: issuerKey(original.key), stan: request.stan, amount: amount))
        var decision = AcquirerDecision(response.responseCode)
        decision.original = original
        guard response.isApproved else { return decision }
        (decision.state, decision.moved) = (.approved, amount.minorUnits)
        decision.authorizationCode = response.answer.authorizationCode
        if book.refunded(original.id) + amount.minorUnits >= original.moved {
            original.state = .refunded
            decision.changes = [original]
        }
        return decision
    }

    private func void(_ request: AcquirerRequest) async throws(PaymentHostError) -> AcquirerDecision {
        guard var original = original(of: request), original.kind.isTransaction else {
            return AcquirerDecision(ResponseCodes.notFound)
        }
        let rest = original.state == .authorized ? book.held(original) : original.moved
        var decision = AcquirerDecision(ResponseCodes.invalid)
        decision.original = original
        guard rest > 0, original.kind != .refund, original.settlement == nil, book.refunded(original.id) == 0,
            let amount = original.money(rest)
        else { return decision }
        let response = try await issuer.refund(
            HostRefundRequest(
                key: issuerKey(request.key), original: issuerKey(original.key), stan: request.stan, amount: amount))
        decision.code = response.responseCode
        guard response.isApproved else { return decision }
        // What a reversal of the void gives back.
        decision.moved = original.moved
        (original.state, original.moved) = (.reversed, 0)
        (decision.state, decision.changes) = (.approved, [original])
        decision.authorizationCode = response.answer.authorizationCode
        return decision
    }

    private func complete(_ request: AcquirerRequest) async throws(PaymentHostError) -> AcquirerDecision {
        guard var original = original(of: request) else { return AcquirerDecision(ResponseCodes.notFound) }
        var decision = AcquirerDecision(ResponseCodes.invalid)
        decision.original = original
        guard original.state == .authorized, let amount = request.amount, amount.currency.code == original.currency
        else { return decision }
        guard amount.minorUnits <= book.held(original) else {
            decision.code = ResponseCodes.wrongAmount
            return decision
        }
        try await issuer.advise(
            AdviceRequest(
                key: issuerKey(original.key), stan: request.stan, amount: amount, lastFour: original.lastFour ?? "****",
                iccData: (try? request.chipData()) ?? []))
        (original.state, original.moved) = (.completed, amount.minorUnits)
        (decision.code, decision.state, decision.changes) = (ResponseCodes.approved, .approved, [original])
        return decision
    }

    /// Raises what an authorization holds, by the decision of the issuer. The authorization keeps its own amount.
    private func increment(_ request: AcquirerRequest) async throws(PaymentHostError) -> AcquirerDecision {
        guard let original = original(of: request) else { return AcquirerDecision(ResponseCodes.notFound) }
        var decision = AcquirerDecision(ResponseCodes.invalid)
        decision.original = original
        guard original.kind == .authorization, original.state == .authorized, let amount = request.amount,
            amount.currency.code == original.currency
        else { return decision }
        let response = try await issuer.increment(
            HostIncrementRequest(
                key: issuerKey(request.key), original: issuerKey(original.key), stan: request.stan, amount: amount))
        decision.code = response.responseCode
        guard response.isApproved else { return decision }
        decision.state = .approved
        decision.authorizationCode = response.answer.authorizationCode
        return decision
    }

    private func advise(_ request: AcquirerRequest) async throws(PaymentHostError) -> AcquirerDecision {
        guard let amount = request.amount else { return AcquirerDecision(ResponseCodes.wrongAmount) }
        let movesMoney = request.kind == .offlineAdvice
        let former = book.transaction(request.key)
        try await issuer.advise(
            AdviceRequest(
                key: issuerKey(request.key), stan: request.stan, amount: amount,
                lastFour: request.lastFour ?? former?.lastFour ?? "****", iccData: (try? request.chipData()) ?? [],
                purpose: movesMoney ? .offlineApproval : .offlineDecline))
        var decision = AcquirerDecision(ResponseCodes.approved)
        decision.authorizationCode = request.message.text(of: 38)
        decision.original = former
        guard movesMoney else { return decision }
        decision.moved = amount.minorUnits
        // The card approved what the host had not answered: the money moves once, by the advice.
        if var former {
            (former.state, former.moved) = (.completed, 0)
            decision.changes = [former]
        }
        return decision
    }
}

extension SimulatedAcquirer {
    private func reverse(_ request: AcquirerRequest) async throws(PaymentHostError) -> AcquirerDecision {
        guard let wanted = request.original else { return AcquirerDecision(ResponseCodes.invalid) }
        guard let original = original(of: request) else { return try await forbid(wanted, request) }
        var decision = AcquirerDecision(ResponseCodes.approved)
        decision.original = original
        guard original.state != .reversed else { return decision }
        let isFinal = original.kind == .completion || original.kind == .offlineAdvice || original.state == .completed
        guard !isFinal, original.settlement == nil, book.refunded(original.id) == 0 else {
            (decision.code, decision.state) = (ResponseCodes.invalid, .declined)
            return decision
        }
        if let rest = request.replacement, rest > 0 {
            return try await reduce(original, to: rest, request, decision)
        }
        let amount = original.money(original.amount) ?? request.amount
        guard let amount else { return decision }
        try await issuer.reverse(
            ReversalRequest(
                key: issuerKey(original.key), stan: request.stan, amount: amount, reason: .timeout,
                iccData: (try? request.chipData()) ?? []))
        var changed = original
        (changed.state, changed.moved) = (.reversed, 0)
        decision.changes = [changed]
        // What a void or a refund took back counts again.
        if original.state == .approved, original.kind != .increment, let id = original.original, var first = book[id] {
            if original.kind == .void {
                first.moved = original.moved
                first.state = first.kind != .authorization ? .approved : first.moved > 0 ? .completed : .authorized
            } else if first.state == .refunded {
                first.state = first.kind == .authorization ? .completed : .approved
            }
            decision.changes.append(first)
        }
        return decision
    }

    /// Takes back a part: only `rest` stays.
    private func reduce(
        _ original: AcquirerRecord, to rest: Int64, _ request: AcquirerRequest, _ decision: AcquirerDecision
    ) async throws(PaymentHostError) -> AcquirerDecision {
        var (decision, changed) = (decision, original)
        guard original.kind == .sale, original.state == .approved, rest <= original.moved,
            let amount = original.money(rest)
        else {
            (decision.code, decision.state) = (ResponseCodes.invalid, .declined)
            return decision
        }
        try await issuer.advise(
            AdviceRequest(
                key: issuerKey(original.key), stan: request.stan, amount: amount, lastFour: original.lastFour ?? "****",
                iccData: []))
        changed.moved = rest
        decision.changes = [changed]
        return decision
    }

    /// Remembers a message that never arrived, so that it is not carried out when it comes late.
    private func forbid(
        _ wanted: OriginalReference, _ request: AcquirerRequest
    ) async throws(PaymentHostError) -> AcquirerDecision {
        // A process that was killed may have lost a record that its issuer has.
        if let localTime = wanted.localTime, let amount = request.amount {
            let key = AcquirerKey(
                terminal: request.key.terminal, traceNumber: wanted.traceNumber, localTime: localTime)
            try await issuer.reverse(
                ReversalRequest(key: issuerKey(key), stan: request.stan, amount: amount, reason: .timeout))
        }
        var decision = AcquirerDecision(ResponseCodes.notFound, state: .approved)
        decision.missing = AcquirerBook.missingName(wanted, terminal: request.key.terminal)
        return decision
    }
}

extension AcquirerRequest {
    /// Field 4 for an amount in the currency of the message.
    func field4(_ amount: Money, _ version: MessageVersion) -> String? {
        TransactionAmount(
            minorUnits: amount.minorUnits, currency: amount.currency.numericCode.zeroPadded(to: 3),
            exponent: amount.currency.exponent
        ).text(version)
    }

    /// The trace number as the issuer has it: its last nine digits.
    var stan: UInt32 { UInt32(traceNumber.suffix(9)) ?? 0 }

    /// What really moved, when a reversal takes back a part (field 95 of 1987); nil without it.
    var replacement: Int64? {
        message.type.version == 0
            ? message.text(of: 95).flatMap { ReplacementAmounts($0) }?.transaction : nil
    }
}

extension AcquirerRecord {
    /// The part that was approved; nil for all.
    var part: Money? { approved.flatMap { money($0) } }

    /// An amount in the currency of the record.
    fileprivate func money(_ units: Int64) -> Money? {
        guard let currency = try? Currency(code: currency) else { return nil }
        return try? Money(minorUnits: units, currency: currency)
    }
}

extension IssuerAnswer {
    /// Returns field 55 of the answer: the code that the card is to see, the proof, and the scripts as far as the
    /// field has room. Nil without a proof and scripts.
    fileprivate func field55(atMost limit: Int) -> [UInt8]? {
        guard issuerAuthenticationData != nil || !scriptsBeforeFinal.isEmpty || !scriptsAfterFinal.isEmpty else {
            return nil
        }
        var objects: [(tag: BERTag, value: [UInt8])] = [(0x8A, authorizationResponseCode)]
        if let issuerAuthenticationData { objects.append((0x91, issuerAuthenticationData)) }
        objects += scriptsBeforeFinal.map { (0x71, $0) }
        objects += scriptsAfterFinal.map { (0x72, $0) }
        var bytes: [UInt8] = []
        for object in objects.map({ BERTLV.encode($0.tag, $0.value) }) where bytes.count + object.count <= limit {
            bytes += object
        }
        return bytes
    }
}
