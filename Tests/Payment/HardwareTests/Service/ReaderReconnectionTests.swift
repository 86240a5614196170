import Determinism
import Testing

@testable import Hardware

/// When what is tried to get a reader back, without a reader or a clock.
@Suite struct ReaderReconnectionTests {
    private static let reader = CardReader(
        id: "1209:0002/1", name: "reader", manufacturer: nil, serialNumber: "1", usbID: "1209:0002",
        softwareVersion: "1.00", batteryLevel: nil, readerType: .ccid, exchangeLevel: "tpdu", slotCount: 1)
    private static let now = VirtualTimeSource.standardStart

    private func begun(giveUpAfter: Duration = .seconds(10), at reading: Duration = .seconds(100)) -> ReaderReconnection
    {
        var machine = ReaderReconnection(ReconnectionPolicy(giveUpAfter: giveUpAfter))
        machine.begin(Self.reader, at: reading, now: Self.now)
        return machine
    }

    @Test func `without a lost reader there is nothing to do`() {
        var machine = ReaderReconnection(ReconnectionPolicy())
        #expect(machine.state == .idle)
        #expect(machine.next(at: .zero) == nil)
        machine.cancel()
        machine.saw(isPresent: true, at: .zero)
        machine.refused(.readerDisconnected, at: .zero)
        #expect(machine.state == .idle)
    }

    @Test func `a missing reader is waited for until the deadline`() {
        var machine = begun()
        #expect(machine.state == .reconnecting(Self.reader, attempt: 0, since: Self.now))
        #expect(machine.next(at: .seconds(100)) == .look)
        machine.saw(isPresent: false, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .wait(.seconds(10)))
        #expect(machine.next(at: .seconds(107)) == .wait(.seconds(3)))
        #expect(machine.next(at: .seconds(110)) == nil)
        #expect(machine.state == .failed(Self.reader, .gaveUp(after: .seconds(10), last: nil)))
        machine.saw(isPresent: true, at: .seconds(111))
        #expect(machine.next(at: .seconds(111)) == nil)
    }

    @Test func `an arriving reader is opened at once`() {
        var machine = begun()
        machine.saw(isPresent: false, at: .seconds(100))
        machine.saw(isPresent: true, at: .seconds(103))
        #expect(machine.next(at: .seconds(103)) == .open)
        #expect(machine.state == .reconnecting(Self.reader, attempt: 1, since: Self.now))
        machine.opened(Self.reader)
        #expect(machine.state == .succeeded(Self.reader))
        #expect(machine.next(at: .seconds(103)) == nil)
    }

    @Test func `a reader that cannot be opened is retried after doubling pauses`() {
        var machine = begun(giveUpAfter: .seconds(60), at: .zero)
        var (now, pauses) = (Duration.zero, [Duration]())
        for attempt in 1...8 {
            #expect(machine.next(at: now) == .look)
            machine.saw(isPresent: true, at: now)
            if case .wait(let pause) = machine.next(at: now) {
                pauses.append(pause)
                now += pause
                #expect(machine.next(at: now) == .open)
            }
            #expect(machine.state == .reconnecting(Self.reader, attempt: attempt, since: Self.now))
            machine.refused(.readerBusy("somebody"), at: now)
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000].map { .milliseconds($0) })
    }

    @Test func `giving up reports the last error`() {
        var machine = begun(giveUpAfter: .seconds(1))
        machine.saw(isPresent: true, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .open)
        machine.refused(.readerBusy("somebody"), at: .milliseconds(100_950))
        machine.saw(isPresent: true, at: .milliseconds(100_950))
        // Never past the deadline.
        #expect(machine.next(at: .milliseconds(100_950)) == .wait(.milliseconds(50)))
        #expect(machine.next(at: .seconds(101)) == nil)
        #expect(
            machine.state == .failed(Self.reader, .gaveUp(after: .seconds(1), last: .readerBusy("somebody"))))
    }

    @Test func `a reader that left again is waited for, and tried at once when it arrives`() {
        var machine = begun()
        machine.saw(isPresent: true, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .open)
        machine.refused(.readerDisconnected, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .look)
        machine.saw(isPresent: false, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .wait(.seconds(10)))
        machine.saw(isPresent: true, at: .milliseconds(100_010))
        #expect(machine.next(at: .milliseconds(100_010)) == .open)
    }

    @Test func `a reader that is plugged in again while it is opened is retried at once, and only once`() {
        var machine = begun()
        machine.saw(isPresent: true, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .open)
        machine.saw(isPresent: false, at: .seconds(101))
        machine.saw(isPresent: true, at: .seconds(102))
        machine.refused(.readerDisconnected, at: .seconds(103))
        #expect(machine.next(at: .seconds(103)) == .open)
        machine.refused(.readerDisconnected, at: .seconds(103))
        #expect(machine.next(at: .seconds(103)) == .look)
        machine.saw(isPresent: true, at: .seconds(103))
        #expect(machine.next(at: .seconds(103)) == .wait(ReaderReconnection.firstPause))
    }

    @Test func `a reader that came back as another device is not retried`() {
        var machine = begun()
        machine.saw(isPresent: true, at: .seconds(100))
        #expect(machine.next(at: .seconds(100)) == .open)
        machine.refused(.readerIncompatible("a keyboard"), at: .seconds(100))
        #expect(machine.state == .failed(Self.reader, .refused(.readerIncompatible("a keyboard"))))
        #expect(machine.next(at: .seconds(100)) == nil)
    }

    @Test func `canceling ends a running reconnection only`() {
        var machine = begun()
        machine.cancel()
        #expect(machine.state == .failed(Self.reader, .canceled))
        #expect(machine.next(at: .seconds(100)) == nil)
        machine.begin(Self.reader, at: .seconds(200), now: Self.now)
        machine.opened(Self.reader)
        machine.cancel()
        #expect(machine.state == .succeeded(Self.reader))
        machine.reset()
        #expect(machine.state == .idle)
    }
}
