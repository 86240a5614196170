import CardSecrets
import Determinism
import Money
import SmartCard

/// Processes the card's CVM list (EMV Book 3 §10.5, Book 4 §6.3.4).
struct CardholderVerification {
    let session: CardSession
    let cardholder: any CardholderInterface
    let random: any RandomSource

    /// The result of one method.
    private enum Attempt {
        case successful(CVMResults.Result)
        case failed
    }

    func perform(_ transaction: Transaction) async throws(KernelStop) {
        session.observe(.cardholderVerification)
        guard transaction.profile.contains(.cardholderVerification) else { return }
        // A list without rules counts as missing (§10.5).
        guard let bytes = transaction.data[EMVTag.cvmList], bytes.count != 8 else {
            transaction.verificationResults.insert(.iccDataMissing)
            return
        }
        guard let list = CVMList(bytes) else { throw .failed(.data(.wrongFormat(EMVTag.cvmList))) }
        transaction.statusInformation.insert(.cardholderVerificationPerformed)
        transaction.cvmResults = try await apply(list, to: transaction)
        if transaction.cvmResults.result == .failed {
            transaction.verificationResults.insert(.cardholderVerificationFailed)
        }
    }

    private func apply(_ list: CVMList, to transaction: Transaction) async throws(KernelStop) -> CVMResults {
        let circumstances = CVMCircumstances(transaction)
        let capabilities = transaction.terminal.capabilities
        var lastPerformed: CVMRule?
        for rule in list.rules where circumstances.satisfy(rule, in: list) {
            if let method = rule.method {
                if method.isSupported(by: capabilities) {
                    if case .successful(let result) = try await attempt(method, in: transaction) {
                        return CVMResults(rule, result)
                    }
                    lastPerformed = rule
                    if method == .fail { break }
                } else {
                    transaction.verificationResults.formUnion(method.findingsWhenUnsupported(capabilities))
                }
            } else {
                transaction.verificationResults.insert(.unrecognizedCVM)
            }
            guard rule.continuesOnFailure else { break }
        }
        return lastPerformed.map { CVMResults($0, .failed) } ?? .noRulePerformed
    }

    private func attempt(_ method: CVMethod, in transaction: Transaction) async throws(KernelStop) -> Attempt {
        switch method {
        case .noCVMRequired: .successful(.successful)
        // The attendant compares the signature after the kernel is done.
        case .signature: .successful(.unknown)
        case .plaintextPIN: try await verifyOffline(.plaintext, .successful, in: transaction)
        case .plaintextPINAndSignature: try await verifyOffline(.plaintext, .unknown, in: transaction)
        case .encipheredPIN: try await verifyEnciphered(.successful, in: transaction)
        case .encipheredPINAndSignature: try await verifyEnciphered(.unknown, in: transaction)
        case .onlinePIN: try await takeOnlinePIN(in: transaction)
        case .fail, .biometric: .failed
        }
    }

    /// The method fails if the card's key cannot be recovered (Book 2 §7.1).
    private func verifyEnciphered(
        _ result: CVMResults.Result, in transaction: Transaction
    ) async throws(KernelStop) -> Attempt {
        guard let key = try? CardKeyRecovery.pinKey(transaction) else { return .failed }
        return try await verifyOffline(.enciphered(key), result, in: transaction)
    }

    private func verifyOffline(
        _ transport: OfflinePINVerification.Transport, _ result: CVMResults.Result, in transaction: Transaction
    ) async throws(KernelStop) -> Attempt {
        guard !isBypassCovered(in: transaction) else { return .failed }
        let verification = OfflinePINVerification(
            session: session, cardholder: cardholder, random: random, transport: transport)
        return try await verification.perform(transaction) ? .successful(result) : .failed
    }

    /// Online PIN (§10.5.2): the issuer verifies it.
    private func takeOnlinePIN(in transaction: Transaction) async throws(KernelStop) -> Attempt {
        guard !isBypassCovered(in: transaction) else { return .failed }
        let prompt = PINPrompt(
            method: .online, triesLeft: nil, isRetry: false, languages: transaction.languagePreference)
        session.observe(.enteringPIN(prompt))
        switch await cardholder.enterPIN(prompt) {
        case .canceled: throw .stoppedAtTerminal
        case .bypassed:
            guard transaction.terminal.mayBypassPIN else { throw .stoppedAtTerminal }
            transaction.verificationResults.insert(.pinNotEntered)
            return .failed
        case .unavailable:
            transaction.verificationResults.insert(.pinPadNotWorking)
            return .failed
        case .entered(let pin):
            let pan: PrimaryAccountNumber
            do throws(DataObjectError) { pan = try transaction.data.primaryAccountNumber() } catch {
                throw .failed(.data(error))
            }
            guard let block = await cardholder.encipherPIN(pin, pan: pan) else {
                transaction.verificationResults.insert(.pinPadNotWorking)
                return .failed
            }
            transaction.onlinePINBlock = block
            transaction.verificationResults.insert(.onlinePINEntered)
            return .successful(.unknown)
        }
    }

    /// Whether an earlier PIN bypass covers the later PIN methods, as the terminal's policy decides (Book 4 §6.3.4.3).
    private func isBypassCovered(in transaction: Transaction) -> Bool {
        transaction.terminal.pinPolicy.bypassCoversLaterMethods
            && transaction.verificationResults.contains(.pinNotEntered)
    }
}

extension CVMCircumstances {
    init(_ transaction: Transaction) {
        let request = transaction.request
        self.init(
            isAttended: transaction.terminal.type.isAttended, kind: request.kind, hasCashback: request.hasCashback,
            amount: request.amount.minorUnits,
            isInApplicationCurrency: transaction.data[EMVTag.applicationCurrency] != nil
                && transaction.data[EMVTag.applicationCurrency] == transaction.data[EMVTag.currency],
            capabilities: transaction.terminal.capabilities)
    }
}
