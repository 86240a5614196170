import Determinism
public import EMV
import Money
import SmartCard

/// The state of Entry Point that lasts for one transaction.
struct CurrentTransaction: Sendable {
    let request: TransactionRequest
    /// Whether the reader began at Start B, without pre-processing.
    let isAutorun: Bool
    /// The reader combinations for the type of the transaction.
    let set: [ReaderCombination]
    var combinations: [PreparedCombination] = []
    var candidates = CombinationCandidates()
    /// The last start.
    var start: EntryPointStart
    var selected: CombinationCandidate?
    /// The answer to SELECT of the candidate selected.
    var selection: ResponseAPDU?
    var kernel: (any ContactlessKernel)?
    /// The last outcome's message for a restart.
    var uiOnRestart: UserInterfaceRequest?
    var onlineResponse: OnlineAuthorizationResult?
    /// The activations of kernels since the card was presented.
    var activations = 0

    init(_ request: TransactionRequest, isAutorun: Bool, set: [ReaderCombination]) {
        (self.request, self.isAutorun, self.set) = (request, isAutorun, set)
        start = isAutorun ? .b : .a
    }

    /// Whether the host sent data for the application selected before, which is then selected without the directory
    /// (EMV Contactless Book B §3.3.2.1).
    var deliversIssuerData: Bool { start == .b && onlineResponse?.hasIssuerData == true }

    /// Whether the card must not approve without the issuer.
    var demandsIssuer: Bool {
        request.forcedOnline || !request.allowsOfflineApproval
            || selected?.prepared.indicators.isStatusCheckRequested == true
    }

    /// Returns the value fields for the kernel of a candidate, with a new unpredictable number (§3.4.1).
    func data(
        for selected: CombinationCandidate, _ terminal: TerminalConfiguration, _ kernels: KernelRegistry,
        _ random: any RandomSource
    ) -> [BERTag: [UInt8]] {
        let combination = selected.prepared.combination
        var data = combination.kernelData
        data.merge(request.dataObjects(of: terminal)) { _, terminal in terminal }
        data[EMVTag.terminalAID] = selected.name
        data[EMVTag.kernelIdentifier] = selected.kernel.bytes
        data[EMVTag.terminalKernelIdentifier] = kernels.terminalIdentifier(selected.kernel, among: combinations)
        data[EMVTag.unpredictableNumber] = random.bytes(4)
        // Integrated circuit card read without contacts (ISO 8583 DE 22).
        data[EMVTag.entryMode] = [0x07]
        if let qualifiers = selected.prepared.indicators.qualifiers {
            data[EMVTag.terminalTransactionQualifiers] = qualifiers.bytes
        }
        if let limit = combination.limits.terminalFloor, let number = UInt32(exactly: limit.minorUnits) {
            data[EMVTag.floorLimit] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return data
    }
}

extension OnlineAuthorizationResult {
    /// Whether the host sent issuer authentication data (91) or an issuer script (71, 72) for the card.
    public var hasIssuerData: Bool {
        switch self {
        case .unableToGoOnline: false
        case .answered(let answer):
            answer.issuerAuthenticationData != nil || !answer.scriptsBeforeFinal.isEmpty
                || !answer.scriptsAfterFinal.isEmpty
        }
    }
}
