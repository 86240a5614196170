internal import SmartCard

/// Lets the card check that its issuer answered (EMV Book 3 §10.9).
struct IssuerAuthentication {
    let session: CardSession

    /// Sends the value of tag 91, which is nil when the issuer sent none. Throws when the card is gone.
    func perform(_ authenticationData: [UInt8]?, _ transaction: inout Transaction) async throws(KernelStop) {
        guard let authenticationData else { return }
        // Cards that do not take it by command ask for it in CDOL2.
        transaction.data.set(EMVTag.issuerAuthenticationData, authenticationData)
        guard transaction.profile.contains(.issuerAuthentication) else { return }
        session.observe(.issuerAuthentication)
        guard (8...16).contains(authenticationData.count) else {
            transaction.verificationResults.insert(.issuerAuthenticationFailed)
            return
        }
        let status = try await session.externalAuthenticate(authenticationData)
        transaction.statusInformation.insert(.issuerAuthenticationPerformed)
        if status != .success { transaction.verificationResults.insert(.issuerAuthenticationFailed) }
    }
}
