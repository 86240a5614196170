import CardSecrets
import Determinism
import EMV
import EntryPoint
import Hardware
import Money
import Payments
import Simulator
import TillConfiguration
import USB

/// A till with a contactless reader on the USB bus of this machine, composed as in the command line program below the
/// journal: the reader service, Entry Point, Kernel 8, and the driver. The issuer is a simulated one in this process.
struct TapTill {
    let observer = TapObserver()
    private let service: LocalCardReaderService
    private let amount: Money

    /// Connects the first contactless reader.
    ///
    /// - Parameter name: The card that will be tapped, a profile of the simulator.
    /// - Throws: When there is no such card, or no such reader.
    init(card name: String) async throws {
        let (time, random) = (SystemTimeSource(), SystemRandomSource())
        let profile = try CardProfileLibrary.profile(name)
        let keys = try TestKeys.embedded()
        var accounts = try profile.issuerAccounts(keys: keys)
        for index in accounts.indices { accounts[index].available = nil }
        let settings = TillConfiguration()
        let currency = profile.applications.first?.currency ?? .usDollar
        amount = try Money(minorUnits: 1250, currency: currency)
        let source = ObservedReaderSource(
            source: USBCardReaderSource(try LibUSBBus(time: time), time: time), observer: observer)
        service = LocalCardReaderService(
            sources: [source],
            host: try SimulatedIssuer(accounts: accounts, keys: keys, time: time, random: random),
            terminal: settings.terminal(for: currency), cardholder: AbsentCardholder(), time: time, random: random,
            contactless: settings.contactless(
                authorities: try CardProfile.contactlessAuthorityKeys(of: [profile]), time: time, random: random
            ) { settings.terminal(for: $0) })
        try await connect()
    }

    private func connect() async throws {
        try await service.start(.usb)
        for await readers in await service.discoveredReaders {
            guard let reader = readers.first else { throw ReaderBenchmarkError("no reader on the USB bus") }
            guard try await service.connect(reader).inputs.contains(.tap) else {
                throw ReaderBenchmarkError("\(reader.name) takes no taps")
            }
            return
        }
    }

    /// Takes a payment.
    ///
    /// - Parameters:
    ///   - number: The number of the payment, from 1.
    ///   - present: Presents the card. Called when the reader waits for it.
    /// - Returns: What was recorded of it.
    /// - Throws: When the payment is not approved, or the card was not authenticated.
    func pay(_ number: Int, present: @escaping @Sendable () -> Void) async throws -> TapRecord {
        _ = observer.take()
        let intent = try await service.capturePayment(
            PaymentIntentParameters(
                key: IdempotencyKey(identity: "benchmark", number: Int64(number)), stan: UInt32(number), amount: amount)
        ) { [observer] event in
            switch event {
            case .waitingForInput: present()
            case .readerMessage(let message) where message.message == .cardRead: observer.noteRead()
            default: break
            }
        }
        // TVR byte 1: certificates, static data, and the channel's key were verified.
        let results = intent.details.terminalVerificationResults ?? "none"
        guard intent.details.entryMode == .contactless, results.hasPrefix("00") else {
            throw ReaderBenchmarkError("payment \(number) was no tap of an authenticated card: TVR \(results)")
        }
        return observer.take()
    }

    func close() async { await service.clear() }
}

/// A cardholder who enters nothing: the amounts need no PIN.
private struct AbsentCardholder: CardholderInterface {
    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { applications.indices.first }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? { nil }
}
