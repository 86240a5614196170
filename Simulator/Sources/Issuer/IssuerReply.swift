internal import CardSecrets
internal import Determinism
internal import EMV
internal import Hardware

/// Words the issuer's answers: reference, authorisation code, ARPC and scripts.
struct IssuerReply {
    let keys: TestKeys
    let random: any RandomSource

    /// An answer without data for the card; `number` counts the entries of the book.
    func plain(_ code: String, number: Int) -> AuthorizationResponse {
        var response = AuthorizationResponse(
            reference: Self.padded(number, 12), answer: IssuerAnswer(authorisationResponseCode: Array(code.utf8)))
        if response.isApproved {
            response.answer.authorisationCode = Self.padded(Int(random.number(in: 1...999_999)), 6)
        }
        return response
    }

    /// An answer to a genuine card, by which the card knows its issuer, with commands for it.
    func authenticated(
        _ code: String, number: Int, to card: borrowing OnlineAuthorizationRequest,
        context: IssuerAuthenticationData.Context, commands: [IssuerScriptCommand]
    ) -> AuthorizationResponse {
        var response = plain(code, number: number)
        do throws(CryptogramError) {
            let masterKey = try CardCheck.masterKey(card, version: context.version, keys: keys) {
                $0.applicationCryptogram.duplicate()
            }
            response.answer.issuerAuthenticationData = try IssuerAuthenticationData.make(
                context, responseCode: Array(code.utf8),
                cardStatusUpdate: CardStatusUpdate(approves: response.isApproved), masterKey: masterKey)
            guard !commands.isEmpty else { return response }
            let scriptKey = try CardCheck.masterKey(card, version: context.version, keys: keys) {
                $0.scriptMAC.duplicate()
            }
            response.answer.scriptsBeforeFinal = try script(
                commands.filter(\.comesBeforeFinal), context: context, masterKey: scriptKey)
            response.answer.scriptsAfterFinal = try script(
                commands.filter { !$0.comesBeforeFinal }, context: context, masterKey: scriptKey)
        } catch {
            // The keys that checked the cryptogram a moment ago cannot fail but for want of memory. The
            // card then gets an answer whose sender it does not know, and decides itself.
        }
        return response
    }

    /// One template, or none without commands.
    private func script(
        _ commands: [IssuerScriptCommand], context: IssuerAuthenticationData.Context,
        masterKey: borrowing SensitiveBytes
    ) throws(CryptogramError) -> [[UInt8]] {
        guard !commands.isEmpty else { return [] }
        return [
            try IssuerScriptCommand.template(
                commands, identifier: [0, 0, 0, 1], context: context, masterKey: masterKey)
        ]
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
