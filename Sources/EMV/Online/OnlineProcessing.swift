internal import CardSecrets
internal import SmartCard

/// Asks the issuer (EMV Book 3 §10.9).
struct OnlineProcessing {
    let authorizer: any OnlineAuthorizer
    let observe: @Sendable (KernelState) -> Void

    /// What the issuer wants, as far as the kernel can tell.
    enum Answer: Hashable, Sendable {
        case decided(AuthorisationResponseCode, IssuerAnswer)
        case unableToGoOnline
        /// An answer came whose response code is none: nobody knows what the issuer decided.
        case unusable
    }

    func perform(_ transaction: inout Transaction) async throws(KernelStop) -> Answer {
        guard transaction.terminal.type.connectivity != .offlineOnly else { return .unableToGoOnline }
        let pan: PrimaryAccountNumber
        do throws(DataObjectError) { pan = try transaction.data.primaryAccountNumber() } catch {
            throw .failed(.data(error))
        }
        let request = OnlineAuthorizationRequest(
            pan: pan, trackTwo: transaction.data.duplicateSecret(EMVTag.trackTwo),
            panSequenceNumber: transaction.panSequenceNumber,
            expiry: Array((transaction.data[EMVTag.expirationDate] ?? []).prefix(2)),
            iccData: ICCData.collect(ICCData.request, of: transaction), pinBlock: transaction.onlinePINBlock)
        // The last moment at which a payment can be stopped without anybody's asking.
        guard !Task.isCancelled else { throw .cancelled(.caller) }
        observe(.online)
        transaction.wasSentOnline = true
        switch await authorizer.authorize(request) {
        case .unableToGoOnline: return .unableToGoOnline
        case .answered(let answer):
            guard let code = AuthorisationResponseCode(bytes: answer.authorisationResponseCode) else {
                return .unusable
            }
            transaction.authorisationCode = answer.authorisationCode
            return .decided(code, answer)
        }
    }
}
