import ISO8583
import Payments

extension AcquirerHost {
    /// Returns the answer to a request that got none in time, from the host's answer to an inquiry. It is then as if
    /// the answer had come late.
    ///
    /// - Parameters:
    ///   - identity: the request.
    ///   - takesPart: whether a part of the amount can be approved.
    ///   - failure: why the request has no answer.
    /// - Returns: the answer that the host gave, or would have given.
    /// - Throws: `failure`, so that the request is taken back, unless the host says what became of it.
    func answer(
        to identity: MessageIdentity, takesPart: Bool, after failure: PaymentHostError
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        guard case .outcomeUnknown = failure, canBeAsked else { throw failure }
        let result: InquiryResult
        do throws(PaymentHostError) { result = try await ask(about: identity, takesPart: takesPart) } catch {
            throw failure
        }
        switch result {
        case .approved(let response), .declined(let response): return response
        case .notFound, .reversed: throw failure
        }
    }

    /// Asks the host once what became of a message. The question moves nothing, and has no card data.
    ///
    /// - Parameters:
    ///   - original: the message.
    ///   - takesPart: whether a part of the amount can be approved.
    /// - Returns: the result, as the answer to the message would have been.
    /// - Throws: ``PaymentHostError`` when the host does not answer, or its answer may be about the question.
    func ask(
        about original: MessageIdentity, takesPart: Bool
    ) async throws(PaymentHostError) -> InquiryResult {
        let question: ISOMessage
        let answer: ISOMessage
        do throws(HostFailure) {
            question = try messages.inquiry(about: original)
            answer = try await link.send(question, as: .inquiry, limit: profile.timing.reversalAnswer)
        } catch {
            if error.problem == .noAnswer { await link.renew() }
            throw error.hostError
        }
        for field in [56, 90] {
            guard let told = answer.text(of: field), told != question.text(of: field) else { continue }
            throw .outcomeUnknown("the answer to the inquiry is about another message")
        }
        let reading = AnswerReading(profile: profile)
        guard let code = AnswerReading.trimmed(answer.text(of: 39)) else {
            throw .outcomeUnknown("the answer to the inquiry has no response code")
        }
        switch reading.subject(ofInquiryCode: code) {
        case .notFound: return .notFound
        case .question: throw .outcomeUnknown("the host answered the inquiry with \(reading.words(code))")
        case .original: break
        }
        let response = try reading.response(answer, to: original, takesPart: takesPart)
        return response.isApproved ? .approved(response) : .declined(response)
    }
}

extension AnswerReading {
    /// The subject of field 39 in the answer to an inquiry.
    enum InquirySubject: Hashable, Sendable {
        /// The message that the inquiry asks about.
        case original
        /// The host does not have the message.
        case notFound
        /// The inquiry itself, or either of them.
        case question
    }

    /// Returns what field 39 of the answer to an inquiry is about.
    ///
    /// No edition defines it. A code by which an issuer decides about a card is that of the original. One that a host
    /// also uses for a message that it can't carry out decides nothing.
    func subject(ofInquiryCode code: String) -> InquirySubject {
        let results = profile.results
        if results.approved.contains(code) || results.partial.contains(code) { return .original }
        let known = profile.version == .v1987 ? code : Self.decline(code, profile.version)
        if known == Self.notFoundCode { return .notFound }
        // Later editions have what an issuer decides in the categories 1 and 2.
        guard profile.version == .v1987 || code.hasPrefix("1") || code.hasPrefix("2") else { return .question }
        return Self.decisions.contains(known) && !results.reverseAnyway.contains(code) ? .original : .question
    }

    /// Code of 1987: the record could not be located.
    private static let notFoundCode = "25"

    /// Codes of 1987 by which an issuer declines a card, and which no host uses for a question.
    private static let decisions: Set<String> = [
        "01", "02", "04", "05", "07", "14", "33", "34", "35", "36", "37", "38", "39", "41", "42", "43", "44", "51",
        "52", "53", "54", "55", "56", "57", "59", "61", "62", "65", "67", "75", "82", "1A",
    ]
}
