internal import CardSecrets
internal import EMV

extension CardPresentTransactionDetails {
    /// What may be kept of a kernel's outcome.
    init(_ outcome: KernelOutcome) {
        self.init(
            brand: outcome.application?.brand?.rawValue ?? "unknown", lastFour: outcome.pan?.lastFour,
            entryMode: .chip, cardholderVerification: CardholderVerification(outcome.cardholderVerification),
            aid: outcome.application.map { $0.aid.hexadecimal },
            applicationName: outcome.application?.displayName,
            accountType: outcome.application.flatMap { AccountType(application: $0.aid) }
                ?? outcome.accountType.flatMap { AccountType(code: $0) },
            terminalVerificationResults: outcome.verificationResults.bytes.hexadecimal,
            transactionStatusInformation: outcome.statusInformation.bytes.hexadecimal,
            applicationCryptogram: outcome.cryptogram.map { $0.value.hexadecimal },
            cryptogramType: outcome.cryptogram.map { Self.name(of: $0.type) },
            issuerApplicationData: outcome.issuerApplicationData.map(\.hexadecimal),
            applicationTransactionCounter: outcome.cryptogram?.counter,
            authorizationResponseCode: outcome.responseCode?.description,
            authorizationCode: outcome.authorisationCode,
            offlineDataAuthentication: OfflineDataAuthentication(outcome.offlineAuthentication.method),
            offlineDataAuthenticationResult: outcome.offlineAuthentication.result.rawValue,
            offlineDataAuthenticationReason: outcome.offlineAuthentication.reason?.description)
    }

    private static func name(of type: CryptogramType) -> String {
        switch type {
        case .tc: "TC"
        case .arqc: "ARQC"
        case .aac: "AAC"
        }
    }
}

extension CardPresentTransactionDetails.OfflineDataAuthentication {
    init(_ method: OfflineAuthenticationMethod) {
        self =
            switch method {
            case .none: .none
            case .sda: .sda
            case .dda: .dda
            case .cda: .cda
            }
    }
}

extension CardPresentTransactionDetails.CardholderVerification {
    init(_ kind: CardholderVerificationKind) {
        self =
            switch kind {
            case .notPerformed, .noCVMRequired: .none
            case .failed: .failed
            case .signature: .signature
            case .plaintextOfflinePIN: .offlinePIN
            case .encipheredOfflinePIN: .encipheredOfflinePIN
            case .plaintextOfflinePINAndSignature: .offlinePINAndSignature
            case .encipheredOfflinePINAndSignature: .encipheredOfflinePINAndSignature
            case .onlinePIN: .onlinePIN
            }
    }
}
