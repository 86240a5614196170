import Connections
import Determinism
import HostSecurity
import Hosts
import ISO8583
import Payments
import Simulator
import TillConfiguration

extension HostFactory {
    /// Creates a host that speaks ISO 8583. It connects with its first message.
    ///
    /// The host is real, even when the reader is simulated: the time to its answers is that of the machine, and
    /// simulated time stands still meanwhile. Its messages have the time of the till's clock, like the card's data.
    ///
    /// - Throws: `CommandFailure`
    static func acquirer(
        _ acquirer: AcquirerSettings, _ settings: TillConfiguration, clock: any TimeSource, pinPad: SimulatedPINPad?,
        trace: HostTraceFile? = nil
    ) async throws(CommandFailure) -> any PaymentHost {
        let made = try await make(acquirer, settings, clock: clock, trace: trace) { $0 }
        if let pinPad, let pins = made.pins { pinPad.use(pins) }
        return made.host
    }

    /// A host, and what enciphers PINs for it; nil when it gives no key for them.
    typealias Made = (host: AcquirerHost, pins: HostPINs?)

    /// Creates one host.
    ///
    /// - Parameters:
    ///   - acquirer: the host.
    ///   - settings: the till.
    ///   - clock: the time of messages.
    ///   - trace: the trace of the messages; nil for none.
    ///   - watch: returns the link that the host uses.
    /// - Returns: the host. It connects with its first message.
    /// - Throws: `CommandFailure`
    static func make(
        _ acquirer: AcquirerSettings, _ settings: TillConfiguration, clock: any TimeSource, trace: HostTraceFile?,
        watch: (any MessageSending) -> any MessageSending
    ) async throws(CommandFailure) -> Made {
        var profile = try ProfileFile.load(acquirer.profile)
        let keys: HostKeys? = if let place = acquirer.keys { try await KeyFile.load(place) } else { nil }
        if let obstacle = profile.obstacleToPayments(with: keys) { throw CommandFailure(obstacle, to: profile) }
        if let limit = acquirer.connectTimeout { profile.connectTimeout = limit }
        if let limit = acquirer.answerTimeout {
            (profile.timing.answer, profile.timing.reversalAnswer) = (limit, limit)
        }
        let time = SystemTimeSource()
        let tls = try acquirer.tlsFiles?.client(time)
        let connector: NetworkConnector
        do throws(NetworkConnector.NeedsTLS) {
            connector = try NetworkConnector(acquirer.address, tls: tls, time: time)
        } catch {
            throw CommandFailure(.configuration, code: "needs_tls", message: "\(error)")
        }
        let terminal = AcquirerTerminal(settings, at: acquirer)
        let network = TraceNumberPlan(profile).network
        // A new number for each second, so that the sign-ons of a day have numbers of their own.
        let first = network.lowerBound + Int(time.now().milliseconds / 1000) % network.count
        let security = try KeyFile.security(profile, keys)
        var linkSettings = HostLink.Settings()
        linkSettings.onMessage = trace?.observer
        if let limit = acquirer.answerTimeout { linkSettings.networkAnswer = limit }
        let link = HostLink(
            profile, identity: terminal.identity, connector: connector,
            traceNumbers: CountedTraceNumbers(network, from: first), time: time, random: SystemRandomSource(),
            settings: linkSettings, security: security
        ) { event in
            if let words = event.words { StandardError.detail("host \(acquirer.address): \(words)") }
        }
        var pins: HostPINs?
        if security?.hasPINKey == true, let form = profile.security.pin?.format,
            let block = SessionPINBlock(format: form)
        {
            pins = HostPINs(link: link, address: acquirer.address, block: block)
        }
        let host = AcquirerHost(
            name: settings.host.kind, profile, at: acquirer.place, terminal: terminal,
            link: watch(OutsideLink(link: link, address: acquirer.address)), clock: clock, time: OutsideTimeSource(),
            sealer: keys?.storage.map { sealer(profile, $0) })
        return (host, pins)
    }
}

extension HostFactory {
    /// Keeps card data under a key, which may be in a token: that takes its time on a thread of its own. What it draws
    /// is secret, and so never comes from a seed.
    private static func sealer(_ profile: MessageProfile, _ key: HostKey) -> CardSealer {
        CardSealer(profile, random: SystemRandomSource()) { (data: [UInt8]) async throws(KeyUseError) -> [UInt8] in
            try await RunQueue.outside { () async throws(KeyUseError) in try await key.cmac(of: data) }
        }
    }
}

/// A link to a real host, for code that may be in a simulated world.
private struct OutsideLink: MessageSending {
    let link: HostLink
    let address: TCPAddress

    func send(
        _ request: ISOMessage, as kind: MessageKind, limit: Duration?
    ) async throws(HostFailure) -> ISOMessage {
        try await RunQueue.outside { () async throws(HostFailure) in
            try await Waiting.on("Waiting for \(address)") { () async throws(HostFailure) in
                try await link.send(request, as: kind, limit: limit)
            }
        }
    }

    func renew() async { await RunQueue.outside { await link.renew() } }
}

extension ProfileObstacle {
    /// Says that payments can't go by the profile, and why.
    func message(about profile: MessageProfile) -> String {
        "payments can't go by the profile '\(profile.name)': \(self)"
    }

    /// The advice about it; never empty.
    var advice: String { fix ?? "correct the profile, or ask the acquirer for another way" }
}

extension CommandFailure {
    /// Creates the failure of a profile by which payments can't go.
    init(_ obstacle: ProfileObstacle, to profile: MessageProfile) {
        self.init(
            .configuration, code: "profile_not_usable", message: obstacle.message(about: profile), fix: obstacle.advice)
    }
}

extension AcquirerSettings {
    /// The files for TLS; nil without TLS.
    var tlsFiles: HostTLSFiles? {
        tls.map {
            HostTLSFiles(
                authorities: $0.authorities, certificate: $0.certificate, key: $0.key, serverName: $0.serverName)
        }
    }
}

extension HostEvent {
    /// The event in words; nil for one that is part of every connection.
    fileprivate var words: String? {
        switch self {
        case .connected(let peer): "connected to \(peer)"
        case .disconnected(let problem): "\(problem)"
        case .unmatched(let message):
            "\(message)" + (message.responseCode.map { ", with the response code \($0)" } ?? "")
        case .malformed(let error): "no message of the profile: \(error)"
        case .keepAlive: nil
        }
    }
}
