import CardSecrets
import Determinism
import EMV
import Hosts
import Money
import Payments
import Simulator
import Storage
import TillConfiguration

extension HostFactory {
    /// Creates several hosts that speak ISO 8583, with the routes of the configuration.
    ///
    /// A host that failed in an earlier process a moment ago rests here, too: the journal knows.
    ///
    /// - Throws: `CommandFailure`
    static func routed(
        _ settings: TillConfiguration, _ journal: PaymentJournal, clock: any TimeSource, pinPad: SimulatedPINPad?,
        trace: HostTraceFile?
    ) async throws(CommandFailure) -> any PaymentHost {
        let availability = HostAvailability(time: SystemTimeSource())
        var members: [HostMember] = []
        var pins: [String: HostPINs] = [:]
        for acquirer in settings.acquirers {
            let made = try await make(acquirer.settings, settings, clock: clock, trace: trace) {
                availability.watching($0, of: acquirer.name)
            }
            members.append(HostMember(name: acquirer.name, address: acquirer.settings.place, host: made.host))
            pins[acquirer.name] = made.pins
        }
        let now = clock.now()
        let failures: [UnreachedHost]
        do throws(JournalError) {
            failures = try journal.unreachedHosts(since: now.advanced(by: .zero - HostAvailability.rest))
        } catch { throw CommandFailure(error) }
        // Simulated time may have run ahead of the machine's. What is far ahead comes from a clock that was set back.
        for failure in failures where failure.at <= now.advanced(by: HostAvailability.rest) {
            guard let member = members.first(where: { $0.address == failure.address }) else { continue }
            availability.noteFailure(
                of: member.name, before: .milliseconds(max(0, now.milliseconds - failure.at.milliseconds)))
        }
        let hosts = RoutedHosts(
            name: settings.host.kind, members, routing: settings.routing, availability: availability)
        if let pinPad, !pins.isEmpty {
            pinPad.use(
                RoutedPINs(
                    hosts: hosts, availability: availability, pins: pins, pad: pinPad, currency: settings.currency))
        }
        return hosts
    }
}

/// Enciphers PINs for the host that gets the payment: under the key that it gave, or under a key of the pad.
private struct RoutedPINs: PINEnciphering {
    let hosts: RoutedHosts
    let availability: HostAvailability
    /// What enciphers PINs for hosts that give a key, by their names.
    let pins: [String: HostPINs]
    let pad: SimulatedPINPad
    /// The till's currency: that of the payment is not known when the PIN is entered.
    let currency: Currency

    func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        for name in hosts.hostsForPIN(CardPrefix(pan), currency) {
            guard let host = pins[name] else {
                do throws(SimulatedPINPad.Failure) { return try pad.encipher(pin, pan: pan) } catch {
                    StandardError.write("cardpresent: the PIN cannot be sent: \(error)\n")
                    return nil
                }
            }
            if let block = await host.encipher(pin, pan: pan) {
                await hosts.usePIN(of: name)
                return block
            }
            // The next host may give its key.
            availability.noteFailure(of: name)
        }
        return nil
    }
}
