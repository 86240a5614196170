import Connections
import Determinism
import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Hosts

@Suite("The connection of a link", .simulatedTime)
struct HostConnectionTests {
    @Test func `a refused sign-on tells the code and its meaning, and nothing was sent`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                if let request = await host.message() { await host.write(host.answer(to: request, code: "58")) }
            })
        let problem = HostProblem.signOnRefused(code: "58", meaning: "not permitted to the terminal")
        #expect(await world.pay(1) == .failure(.notSent(problem)))
        #expect(world.events.isEmpty)
        #expect(await !world.link.isConnected)
    }

    @Test func `a connection that ends before the request is not sent`() async throws {
        let world = try TestWorld(
            "iso87-ascii", .refuse, .serve { $0.connection.close() },
            .serve { host in
                _ = await host.message()
                host.connection.reset()
            }, .serve { _ = await $0.message() }, .serve { await $0.approveAll() })
        #expect(await world.pay(1) == .failure(.notSent(.connection(.timedOut(.connect)))))
        #expect(await world.pay(1) == .failure(.notSent(.hangUp)))
        guard case .failure(.notSent(.pausing(let rest))) = await world.pay(1) else {
            Issue.record("no pause")
            return
        }
        #expect((.seconds(1)...Duration.milliseconds(1200)).contains(rest))
        try await world.clock.sleep(for: .seconds(2))
        #expect(await world.pay(1) == .failure(.notSent(.connection(.reset))))
        try await world.clock.sleep(for: .seconds(3))
        #expect(await world.pay(1) == .failure(.notSent(.hangUp)))
        try await world.clock.sleep(for: .seconds(60))
        #expect(await world.pay(1) == .success("00"))
    }

    @Test func `a connection that ends after the request is an unknown outcome for all under way`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                _ = await host.message()
                _ = await host.message()
                host.connection.reset()
            }, .serve { await $0.approveAll() })
        async let first = world.pay(1)
        async let second = world.pay(2)
        #expect(await first == .failure(.outcomeUnknown(.connection(.reset))))
        #expect(await second == .failure(.outcomeUnknown(.connection(.reset))))
        #expect(world.events.last == .disconnected(.connection(.reset)))
        #expect(await world.pay(3) == .success("00"))
    }

    @Test func `cancellation ends a wait at once, and says what became of the request`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                try? await host.pause(.seconds(5))
                await host.signOn()
                let request = await host.message()
                try? await host.pause(.seconds(5))
                if let request { await host.write(host.answer(to: request)) }
                await host.approveAll()
            })
        let early = Task { await world.pay(1) }
        try await world.clock.sleep(for: .seconds(1))
        early.cancel()
        #expect(await early.value == .failure(.notSent(.canceled)))
        #expect(await world.connect() == nil)
        let later = Task { await world.pay(2) }
        try await world.clock.sleep(for: .seconds(1))
        later.cancel()
        #expect(await later.value == .failure(.outcomeUnknown(.canceled)))
        #expect(await world.pay(3) == .success("00"))
        #expect(world.unmatched == [.late])
    }

    @Test func `closing the link ends everything`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                while await host.message() != nil {}
            })
        let waiting = Task { await world.pay(1) }
        try await world.clock.sleep(for: .seconds(1))
        await world.link.close()
        #expect(await waiting.value == .failure(.outcomeUnknown(.closed)))
        #expect(await world.pay(2) == .failure(.notSent(.closed)))
    }

    @Test func `an idle connection is echoed, and a half-open one is noticed and made again`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                // The first echo is answered, and then nothing is.
                await host.signOn()
                while await host.message() != nil {}
            }, .serve { await $0.approveAll() })
        let keeper = Task { await world.link.keepConnected() }
        try await world.clock.sleep(for: .seconds(130))
        #expect(world.events.count == 1)
        try await world.clock.sleep(for: .seconds(60))
        #expect(world.events.dropFirst().first == .disconnected(.halfOpen))
        #expect(world.events.count == 3)
        #expect(await world.link.isConnected)
        keeper.cancel()
        await keeper.value
    }

    @Test func `keep-alive frames are answered in kind, and an answer to one is not`() async throws {
        let world = try TestWorld(
            "iso87-bcd-tpdu",
            .serve { host in
                await host.signOn()
                await host.write([0, 0])
                // The answer to the one above, then the link's own after a minute of silence.
                guard await host.content() == .keepAlive, await host.content() == .keepAlive else { return }
                await host.write([0, 0])
                guard let next = await host.message() else { return }
                await host.write(host.answer(to: next))
                await host.approveAll()
            })
        #expect(await world.connect() == nil)
        try await world.clock.sleep(for: .seconds(70))
        #expect(await world.pay(1) == .success("00"))
        #expect(world.events.filter { $0 == .keepAlive }.count == 2)
    }

    @Test func `a link that is kept connected tries again with growing pauses`() async throws {
        let world = try TestWorld("iso87-ascii", .refuse)
        let keeper = Task { await world.link.keepConnected() }
        try await world.clock.sleep(for: .seconds(60))
        #expect((6...8).contains(world.connector.tries), "\(world.connector.tries)")
        keeper.cancel()
        await keeper.value
    }

    @Test func `a host that hangs up after each sign-on gets growing pauses, too`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                host.connection.close()
            })
        let keeper = Task { await world.link.keepConnected() }
        try await world.clock.sleep(for: .seconds(60))
        #expect((6...8).contains(world.connector.tries), "\(world.connector.tries)")
        keeper.cancel()
        await keeper.value
    }

    @Test func `a profile with a connection for each request closes it after the answer`() async throws {
        let world = try TestWorld("iso87-ascii") { $0.connection = .perTransaction }
        #expect(await world.pay(1) == .success("00"))
        #expect(await !world.link.isConnected)
        #expect(await world.pay(2) == .success("00"))
        #expect(world.connector.tries == 2)
    }

    @Test func `a host elsewhere needs TLS`() throws {
        let clock = SimulationClock()
        let far = try #require(TCPAddress("acquirer.example:8583"))
        #expect(throws: NetworkConnector.NeedsTLS(address: far)) {
            try NetworkConnector(far, tls: nil, time: clock)
        }
        #expect(try !NetworkConnector(try #require(TCPAddress("127.0.0.1:8583")), tls: nil, time: clock).usesTLS)
    }

    @Test func `trace numbers stay in their range`() async throws {
        let numbers = CountedTraceNumbers(1...3, from: 3)
        #expect(await numbers.next() == 3)
        #expect(await numbers.next() == 1)
        #expect(await CountedTraceNumbers(5...9, from: 1).next() == 5)
    }
}
