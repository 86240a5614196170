internal import SmartCard

/// What a transaction leaves behind for those that follow.
extension ApplicationMemory {
    /// The first GENERATE AC was answered.
    mutating func finishFirst(_ answer: CardVerificationResults.Answer, _ risk: CardRiskManagement) {
        switch answer {
        case .arqc: lastOnlineNotCompleted = true
        case .tc: countOffline(risk)
        case .aac: noteDecline(risk)
        }
    }

    /// The second GENERATE AC was answered.
    mutating func finishSecond(_ answer: CardVerificationResults.Answer, _ risk: CardRiskManagement) {
        let transaction = risk.transaction
        guard risk.wentOnline else {
            if answer == .tc { countOffline(risk) } else { noteDecline(risk) }
            return
        }
        lastIssuerAuthenticationFailed = transaction.issuerAuthentication == .failed
        guard risk.heardIssuer else { return }
        lastIssuerAuthenticationMissing = transaction.issuerAuthentication == .notPerformed
        (lastOnlineNotCompleted, declinedOffline) = (false, false)
        (lastStaticAuthenticationFailed, lastDynamicAuthenticationFailed) = (false, false)
        lastOnlineATC = transaction.atc
        // The ARQC of this transaction told the issuer of the commands before it, not of those in it.
        scriptCommandCount -= min(scriptCommandCount, transaction.reportedScriptCommands)
        scriptFailed = transaction.scriptFailed
        goesOnlineNextTime = false
        guard case .succeeded(.cardStatusUpdate(let update)) = transaction.issuerAuthentication else {
            (offlineCount, offlineTotal) = (0, 0)
            return
        }
        goesOnlineNextTime = update.goesOnlineNextTime
        switch update.counters {
        case .leave: break
        case .reset: (offlineCount, offlineTotal) = (0, 0)
        case .setToUpperLimits:
            offlineCount = limits.upperCount.map(Int.init) ?? offlineCount
            offlineTotal = limits.upperAmount ?? offlineTotal
        case .addTransaction: countOffline(risk)
        }
    }

    private mutating func countOffline(_ risk: CardRiskManagement) {
        declinedOffline = false
        offlineCount += 1
        offlineTotal = risk.offlineTotal ?? .max
    }

    /// Declined offline: the terminal's results (tag 95) say whether data authentication had failed.
    private mutating func noteDecline(_ risk: CardRiskManagement) {
        let results = risk.transaction.terminalValues[0x95]?.first ?? 0
        declinedOffline = true
        lastStaticAuthenticationFailed = results & 0x40 != 0
        lastDynamicAuthenticationFailed = results & 0x0C != 0
    }
}
