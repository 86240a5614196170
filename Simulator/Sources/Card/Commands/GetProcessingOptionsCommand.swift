internal import SmartCard

/// GET PROCESSING OPTIONS (EMV Book 3 §6.5.8).
extension CardOperatingSystem {
    mutating func getProcessingOptions(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, session.transaction == nil else { return .failed(.conditionsNotSatisfied) }
        let application = applications[index]
        guard let template = try? BERTLV.parse(command.data), template.count == 1, template.first?.tag == 0x83,
            let data = template.first?.value
        else { return .failed(.incorrectData) }
        let values: [BERTag: [UInt8]]
        if let pdol = application.profile.pdol {
            guard let split = pdol.split(data) else { return .failed(.wrongLength) }
            values = split
        } else {
            guard data.isEmpty else { return .failed(.wrongLength) }
            values = [:]
        }
        // A counter that is used up ends the application's life.
        guard !isBlocked, !memories[index].isBlocked, memories[index].atc < UInt16.max else {
            return .failed(.conditionsNotSatisfied)
        }

        memories[index].atc += 1
        session.transaction = CardTransaction(
            atc: memories[index].atc, terminalValues: values, terminalData: data, results: verificationResults(index),
            reportedScriptCommands: memories[index].scriptCommandCount)
        let (profile, locator) = (application.profile, application.fileLocator)
        return .succeeded(
            profile.answersInFormatTwo
                ? BERTLV(0x77, children: [BERTLV(0x82, profile.interchangeProfile), BERTLV(0x94, locator)]).encoded
                : BERTLV.encode(0x80, profile.interchangeProfile + locator))
    }

    /// What the card knows of the transactions before, as a new one begins.
    private func verificationResults(_ index: Int) -> CardVerificationResults {
        let memory = memories[index]
        var results = CardVerificationResults(first: .aac, pinTriesLeft: memory.pinTriesLeft)
        results.pinTryLimitExceeded = memory.pinBlock != nil && memory.pinTriesLeft == 0
        results.lastOnlineNotCompleted = memory.lastOnlineNotCompleted
        results.isNewCard = memory.lastOnlineATC == 0
        results.lastIssuerAuthenticationFailed = memory.lastIssuerAuthenticationFailed
        results.lastIssuerAuthenticationMissing = memory.lastIssuerAuthenticationMissing
        results.lastStaticAuthenticationFailed = memory.lastStaticAuthenticationFailed
        results.lastDynamicAuthenticationFailed = memory.lastDynamicAuthenticationFailed
        results.goesOnlineNextTime = memory.goesOnlineNextTime
        results.scriptCommandCount = memory.scriptCommandCount
        results.scriptFailed = memory.scriptFailed
        return results
    }
}
