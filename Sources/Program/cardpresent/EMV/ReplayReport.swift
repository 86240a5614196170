import CardSecrets
import ContactlessKernel8
import EMV
import EMVReplay
import EntryPoint
import Money
import SmartCard
import Text

/// The result of `emv replay`: a chip, or a tap with the chip that the same trace goes on with.
enum ReplayReport: CommandResult {
    case chip(CardReplayReport)
    case tap(TapReplayReport, chip: CardReplayReport?)

    /// Whether no difference is visible to card or issuer.
    var agrees: Bool {
        switch self {
        case .chip(let report): report.agrees
        case .tap(let report, let chip): report.agrees && chip?.agrees ?? true
        }
    }

    var json: JSONObject {
        switch self {
        case .chip(let report): report.json
        case .tap(let report, let chip): JSONObject(extending: report.json, with: ["chip": chip?.json])
        }
    }

    var text: String {
        switch self {
        case .chip(let report): report.text
        case .tap(let report, let chip):
            report.text + (chip.map { "\nThe chip of the same card:\n\n" + $0.text } ?? "")
        }
    }
}

extension CardReplayError {
    /// The code for programs.
    var code: String {
        switch self {
        case .terminal, .noAmount, .tapped, .noContactlessSettings, .entryPoint: "trace_not_playable"
        case .otherKernel: "kernel_not_built"
        case .noKernelKey, .kernelKeyMissing, .otherKernelKey: "kernel_key_unknown"
        }
    }
}

extension TapReplayReport {
    fileprivate var json: JSONObject {
        [
            "interface": "contactless", "agrees": agrees, "decision": decision, "reason": reason,
            "amount": request.amount.description, "aid": outcome?.aid?.hexadecimal, "last4": lastFour,
            "oda": "local", "odaResult": authentication.result, "odaReason": authentication.reason,
            "tvr": digits(EMVTag.verificationResults), "tsi": String?.none,
            "cvmResults": digits(EMVTag.cvmResults),
            // The line of the difference that makes the MAC of the card fail; null without one.
            "signatureFailsByLine": causeOfWrongMAC?.line, "cryptogramType": cryptogramType,
            "cryptogram": digits(EMVTag.applicationCryptogram), "differences": differences.map(\.json),
        ]
    }

    fileprivate var text: String {
        let (result, cause) = authentication
        var lines: [String] = []
        func add(_ name: String, _ value: String?, _ reason: String? = nil) {
            let padded = name + String(repeating: " ", count: 13 - name.utf8.count)
            lines.append(padded + (value ?? "none") + (reason.map { ": " + $0 } ?? ""))
        }
        add("decision", decision, reason)
        add("amount", request.amount.description)
        add("application", outcome?.aid?.hexadecimal)
        add("card", lastFour.map { "**** " + $0 } ?? "not read")
        add("oda", "local, " + result, cause)
        add("TVR", digits(EMVTag.verificationResults))
        add("CVM results", digits(EMVTag.cvmResults))
        add("cryptogram", cryptogramType.map { $0 + " " + (digits(EMVTag.applicationCryptogram) ?? "") })
        lines.append("")
        lines += differences.lines(agrees: agrees)
        if mayHaveBeenForcedOnline {
            lines.append("The payment may have had to go online: give --force-online.")
        }
        if let difference = causeOfWrongMAC {
            let place = difference.line.map { "line \($0) differs." } ?? "the data differs."
            lines.append(
                "The MAC of the card (9F8105) fails because of the replay, not the card: the card computed it over "
                    + "what the recorded reader sent, and " + place)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var decision: String {
        switch outcome?.outcome.status {
        case .approved: "approvedOffline"
        case .declined: outcome?.outcome.isDeclinedByTerminal == true ? "declinedOffline" : "declinedByCard"
        case .onlineRequest: "onlineRequest"
        case .tryAnotherInterface: "tryAnotherInterface"
        case .endApplication where outcome?.outcome.start != nil: "presentAgain"
        case .endApplication, .selectNext, .tryAgain, nil: "terminated"
        }
    }

    private var reason: String? { kernel?.error?.description ?? findings.first.map { "\($0)" } }

    private var authentication: (result: String, reason: String?) {
        switch kernel?.authentication {
        case .succeeded: ("passed", nil)
        case .failed(let error): ("failed", error.description)
        case .notPerformed, nil: ("notPerformed", nil)
        }
    }

    private var cryptogramType: String? {
        record?[EMVTag.cryptogramInformation]?.first.flatMap { CryptogramType(rawValue: $0 & 0xC0) }
            .map { "\($0)".uppercased() }
    }

    private var lastFour: String? {
        do throws(HostDataRecordError) { return try record?.primaryAccountNumber().lastFour } catch { return nil }
    }

    private func digits(_ tag: BERTag) -> String? { record?[tag]?.hexadecimal }
}
