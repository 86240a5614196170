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

    /// An answer to a genuine card, by which the card knows its issuer, with scripts for it. `wish` says what a
    /// rule wants otherwise.
    func authenticated(
        _ code: String, number: Int, to card: borrowing OnlineAuthorizationRequest,
        context: IssuerAuthenticationData.Context, scripts: [IssuerScriptTemplate],
        wish: IssuerRuleAnswer = IssuerRuleAnswer()
    ) -> AuthorizationResponse {
        var response = plain(code, number: number)
        if response.isApproved, let authorisationCode = wish.authorisationCode {
            response.answer.authorisationCode = authorisationCode
        }
        do throws(CryptogramError) {
            let masterKey = try CardCheck.masterKey(card, version: context.version, keys: keys) {
                $0.applicationCryptogram.duplicate()
            }
            response.answer.issuerAuthenticationData = try proof(
                of: response, context: context, masterKey: masterKey, wish: wish)
            guard !scripts.isEmpty else { return response }
            let cardKeys = IssuerMasterKeys(
                applicationCryptogram: masterKey,
                scriptMAC: try CardCheck.masterKey(card, version: context.version, keys: keys) {
                    $0.scriptMAC.duplicate()
                },
                scriptConfidentiality: try CardCheck.masterKey(card, version: context.version, keys: keys) {
                    $0.scriptConfidentiality.duplicate()
                })
            for script in scripts {
                let value = try script.encoded(context, keys: cardKeys)
                if script.comesBeforeFinal {
                    response.answer.scriptsBeforeFinal.append(value)
                } else {
                    response.answer.scriptsAfterFinal.append(value)
                }
            }
        } catch {
            // The keys that checked the cryptogram a moment ago cannot fail but for want of memory. The
            // card then gets an answer whose sender it does not know, and decides itself.
        }
        return response
    }

    /// The value of tag 91; nil when there is to be none.
    private func proof(
        of response: AuthorizationResponse, context: IssuerAuthenticationData.Context,
        masterKey: borrowing SensitiveBytes, wish: IssuerRuleAnswer
    ) throws(CryptogramError) -> [UInt8]? {
        guard wish.proof != .none else { return nil }
        var data = try IssuerAuthenticationData.make(
            context, method: wish.responseMethod ?? context.version.responseMethod,
            responseCode: response.answer.authorisationResponseCode,
            cardStatusUpdate: wish.cardStatusUpdate ?? CardStatusUpdate(approves: response.isApproved),
            masterKey: masterKey)
        // One bit is enough.
        if wish.proof == .wrong, let first = data.first { data[0] = first ^ 0x01 }
        return data
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
