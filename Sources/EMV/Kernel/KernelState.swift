/// Where the kernel is in a transaction, in the order of EMV Book 3 §8.2.
public enum KernelState: Hashable, Sendable {
    /// Finding and selecting an application.
    case selectingApplication
    /// The cardholder chooses or confirms an application.
    case choosingApplication
    /// GET PROCESSING OPTIONS for the application with this AID.
    case initiatingApplication(aid: [UInt8])
    case readingApplicationData
    case offlineDataAuthentication
    case processingRestrictions
    case cardholderVerification
    /// The cardholder enters the PIN.
    case enteringPIN(PINPrompt)
    case terminalRiskManagement
    /// Terminal action analysis came out with this request.
    case terminalActionAnalysis(CryptogramType)
    /// First GENERATE AC
    case cardActionAnalysis
    /// The issuer is asked.
    case online
    case issuerAuthentication
    /// Issuer scripts, before or after the second GENERATE AC.
    case issuerScripts(beforeFinalCryptogram: Bool)
    /// Second GENERATE AC, asking for this cryptogram.
    case completion(CryptogramType)
    case ended(TransactionDecision)
}
