import CardSecrets
import Connections
import Determinism
import HTTPListening
import NexoTerminal
import Payments
import Storage
import StripeTerminal
import Terminal
import TerminalServer
import Text
import TillConfiguration
import ZVT

/// The one reader of `terminal`, with what the servers of all protocols need.
struct TillReader: Sendable {
    let counter: TillCounter
    let till: Till
    let settings: TillConfiguration
    /// The idempotency keys of stripe tills.
    let keys: SpentKeyFile
    let access: StripeAccess
    /// TLS for stripe and nexo; nil for none.
    let tls: TLSServer?
    let zvtTLS: TLSServer?
    let nexo: NexoTerminalOptions
    let shared: SharedReader
    let isSimulated: Bool
    let random: any RandomSource
    let printer: TerminalPrinter
    let wall: any TimeSource

    /// The reader as stripe tills see it.
    var stripe: StripeOwnReader {
        StripeOwnReader(
            merchant: settings.merchant.merchantID, terminal: settings.merchant.terminalID,
            label: settings.merchant.name)
    }

    /// The name of the terminal in a protocol; nil where it is the reader's ID.
    func name(for till: TillProtocol) -> String? {
        switch till {
        case .stripe: nil
        case .zvt: terminalNumber.zeroPadded(to: 8)
        case .nexo: nexo.terminals.first
        }
    }

    /// The terminal's number at the host, as far as ZVT has digits for it.
    private var terminalNumber: Int64 {
        Int64(String(settings.merchant.terminalID.filter { ("0"..."9").contains($0) }.suffix(8))) ?? 1
    }

    /// Starts the server of a protocol.
    ///
    /// - Throws: `HTTPListenerError`
    func start(
        _ protocolName: TillProtocol, host: String, port: Int, httpPort: Int
    ) async throws(HTTPListenerError) -> TillServer {
        switch protocolName {
        case .stripe: try await startStripe(host: host, port: port)
        case .zvt: try await startZVT(host: host, port: port)
        case .nexo: try await startNexo(host: host, port: port, httpPort: httpPort)
        }
    }

    private func own(_ protocolName: TillProtocol, _ kept: [KeptRequest]? = nil) -> OwnTerminal {
        let (printer, now) = (printer, till.time.now())
        return OwnTerminal(
            keeper: TillRequestKeeper(journal: PaymentJournal(reading: till.storage), till: protocolName),
            kept: kept ?? counter.memory.requests(of: protocolName),
            objects: counter.memory.objects(of: protocolName), offset: till.time.offsetSeconds(at: now),
            reader: shared
        ) {
            printer.print($0)
        } onFailure: {
            StandardError.complain("the terminal does nothing more: a request can't be kept: \($0)")
        }
    }

    /// Makes IDs. With a seed, each start makes other ones than those that were kept before.
    private func names(_ protocolName: TillProtocol) -> any RandomSource {
        let newest = counter.memory.requests(of: protocolName).last?.request.key.rawValue ?? ""
        let objects = counter.memory.objects(of: protocolName)
        let objectNames = objects.isEmpty ? "" : " \(objects.count) \(objects.last?.name ?? "")"
        return random.stream("\(protocolName.rawValue) \(newest)\(objectNames)")
    }

    private func startStripe(host: String, port: Int) async throws(HTTPListenerError) -> TillServer {
        let readers = TerminalCounters.single(
            TillDesk(counter: counter, givesReceipts: false),
            clock: isSimulated ? .simulated(start: till.time.now()) : .wall(till.time))
        let server = try await TerminalServer.start(
            .own(stripe, access: access, spentKeys: keys.earlier), readers, random: names(.stripe),
            keys: keys, own: own(.stripe), host: tls == nil ? host : "127.0.0.1", port: tls == nil ? port : 0,
            time: wall)
        guard let tls else { return TillServer(.stripe, address: server.address, server: server) }
        return try await .fronted(.stripe, server, at: server.port, tls, host: host, port: port, time: wall)
    }

    private func startZVT(host: String, port: Int) async throws(HTTPListenerError) -> TillServer {
        var options = ZVTTerminalOptions(
            till: TillID(rawValue: "zvt"), terminalID: terminalNumber, currency: settings.currency,
            password: ZVTSecret(SensitiveBytes([0, 0, 0])), version: "CardPresent",
            // Requests have no names in ZVT, and none may come again.
            keyPrefix: "zvt-" + SystemRandomSource().bytes(8).lowercaseHexadecimal)
        options.contractNumber = String(settings.merchant.merchantID.prefix(15))
        let server = try await ZVTServer.start(
            options, TillDesk(counter: counter, givesReceipts: true), own(.zvt, await withReceipts()),
            host: zvtTLS == nil ? host : "127.0.0.1", port: zvtTLS == nil ? port : 0, wall: wall, time: till.time)
        guard let zvtTLS else { return TillServer(.zvt, address: server.address, server: server) }
        return try await .fronted(.zvt, server, at: server.port, zvtTLS, host: host, port: port, time: wall)
    }

    /// The requests of ZVT tills, with the receipts of the last transaction that stands: repeat receipt shows them.
    private func withReceipts() async -> [KeptRequest] {
        var kept = counter.memory.requests(of: .zvt)
        let place = kept.lastIndex { $0.outcome?.transaction != nil && !$0.request.isAutomatic && !$0.isTakenBack }
        guard let place, let id = counter.memory.payments[kept[place].request.key],
            let payment = await counter.history(of: id)?.payment
        else { return kept }
        let receipts = await counter.receipts(of: payment, columns: kept[place].request.receiptColumns)
        kept[place].outcome = kept[place].outcome?.adding(receipts)
        return kept
    }

    private func startNexo(host: String, port: Int, httpPort: Int) async throws(HTTPListenerError) -> TillServer {
        let server = try await NexoServer.start(
            nexo, TillDesk(counter: counter, givesReceipts: false), own(.nexo), random: names(.nexo),
            host: host, port: httpPort, security: tls.map { NexoServer.Security($0, port: port) }, wall: wall,
            time: till.time)
        let secure = server.securePort.map { "https://\(TCPAddress(host: host, port: UInt16(clamping: $0)))" }
        return TillServer(
            .nexo, address: secure ?? server.address, plainAddress: server.address, server: server)
    }
}
