import Connections
import Determinism
import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Hosts

@Suite("A link to a host", .simulatedTime)
struct HostLinkTests {
    @Test(arguments: MessageProfile.shippedNames)
    func `a link signs on and echoes by every shipped profile`(name: String) async throws {
        let code = try #require(MessageProfile.shipped(name)?.results.approved.first)
        let world = try TestWorld(
            name,
            .serve { host in
                while let request = await host.message() { await host.write(host.answer(to: request, code: code)) }
            })
        #expect(await world.connect() == nil)
        #expect(try await world.link.echo().text(of: 39) == code)
        #expect(world.events == [.connected(ConnectionPeer(address: "memory:2"))])
        #expect(await world.link.isConnected)
        await world.link.close()
        #expect(await world.connect() == .notSent(.closed))
    }

    @Test func `a code of network management accepts the sign-on since 1993`() async throws {
        let world = try TestWorld(
            "iso93-ebcdic",
            .serve { host in
                if let request = await host.message() { await host.write(host.answer(to: request, code: "800")) }
                await host.approveAll()
            })
        #expect(await world.connect() == nil)
    }

    @Test func `answers in any order reach their requests`() async throws {
        let world = try TestWorld(
            "iso87-bcd-tpdu",
            .serve { host in
                await host.signOn()
                var requests: [ISOMessage] = []
                while requests.count < 20, let request = await host.message() { requests.append(request) }
                for (place, request) in requests.enumerated().reversed() {
                    await host.write(host.answer(to: request, code: place % 2 == 0 ? "00" : "51"))
                }
                await host.approveAll()
            })
        let results = await withTaskGroup { group in
            for number in 101...120 { group.addTask { (number, await world.pay(number)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(results.count == 20)
        #expect(results.values.filter { $0 == .success("00") }.count == 10)
        #expect(results.values.filter { $0 == .success("51") }.count == 10)
        #expect(world.connector.tries == 1)
        #expect(world.unmatched.isEmpty)
    }

    @Test func `a lost answer is an unknown outcome at the deadline, and a late one is told`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                guard let lost = await host.message() else { return }
                try? await host.pause(.seconds(50))
                await host.write(host.answer(to: lost))
                await host.approveAll()
            })
        let start = world.clock.reading()
        #expect(await world.pay(7) == .failure(.outcomeUnknown(.noAnswer)))
        #expect(world.clock.elapsed(since: start) == .seconds(45))
        #expect(await world.pay(8) == .success("00"))
        #expect(world.unmatched == [.late])
        #expect(world.connector.tries == 1)
    }

    @Test func `answers that are none are told, and the wait goes on`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                guard let request = await host.message() else { return }
                await host.write(host.answer(to: request) { $0.set(41, "TERM0002") })
                await host.write(host.answer(to: request) { $0.set(11, "999999") })
                await host.write(host.answer(to: request) { $0.set(13, "0103") })
                await host.write(host.answer(to: request) { if let type = MessageType("0110") { $0.type = type } })
                await host.write(host.answer(to: request) { if let type = MessageType("0800") { $0.type = type } })
                await host.write([0, 4, 0x30, 0x32, 0x31, 0x58])
                await host.write(host.answer(to: request))
                await host.write(host.answer(to: request))
                await host.approveAll()
            })
        #expect(await world.pay(7) == .success("00"))
        #expect(await world.pay(8) == .success("00"))
        #expect(world.unmatched == [.otherTerminal, .unknown, .changed([13]), .unknown, .request, .duplicate])
        #expect(world.events.contains { if case .malformed = $0 { true } else { false } })
    }

    @Test func `a header that is not the request's swapped one is no answer`() async throws {
        let world = try TestWorld(
            "iso87-bcd-tpdu",
            .serve { host in
                await host.signOn()
                guard let request = await host.message() else { return }
                var wrong = host.answer(to: request)
                wrong[6] = 9
                await host.write(wrong)
                await host.write(host.answer(to: request))
                await host.approveAll()
            })
        #expect(await world.pay(7) == .success("00"))
        #expect(world.unmatched == [.wrongHeader])
    }

    @Test func `slow bytes make an answer`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                guard let request = await host.message() else { return }
                for byte in host.answer(to: request) {
                    try? await host.pause(.milliseconds(200))
                    await host.write([byte])
                }
                await host.approveAll()
            })
        #expect(await world.pay(7) == .success("00"))
    }

    @Test func `garbage and a cut frame end the connection with an unknown outcome`() async throws {
        for (bytes, reason) in [
            ([0xFF, 0xFF, 1, 2], FrameError.Reason.tooLong(65_535, maximum: 4096)), ([0, 40, 0x30], .endsEarly(3)),
        ] as [([UInt8], FrameError.Reason)] {
            let world = try TestWorld(
                "iso87-ascii",
                .serve { host in
                    await host.signOn()
                    _ = await host.message()
                    await host.write(bytes)
                    host.connection.close()
                }, .serve { await $0.approveAll() })
            guard case .failure(.outcomeUnknown(.frame(let error))) = await world.pay(7) else {
                Issue.record("\(bytes)")
                continue
            }
            #expect(error.reason == reason)
            #expect(world.events.last == .disconnected(.frame(error)))
            #expect(await world.pay(8) == .success("00"))
            #expect(world.connector.tries == 2)
        }
    }

    @Test func `a frame that begins and does not end is told at the deadline`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                _ = await host.message()
                await host.write([0, 40, 0x30])
                await host.approveAll()
            })
        guard case .failure(.outcomeUnknown(.frame(let error))) = await world.pay(7) else {
            Issue.record("no frame error")
            return
        }
        #expect(error.reason == .endsEarly(3))
    }

    @Test func `two requests with one key do not go out`() async throws {
        let world = try TestWorld(
            "iso87-ascii",
            .serve { host in
                await host.signOn()
                let request = await host.message()
                try? await host.pause(.seconds(10))
                if let request { await host.write(host.answer(to: request)) }
                await host.approveAll()
            })
        async let first = world.pay(7)
        try await world.clock.sleep(for: .seconds(1))
        #expect(await world.pay(7) == .failure(.notSent(.sameKey)))
        #expect(await first == .success("00"))
    }

    @Test func `what the profile cannot say is not sent`() async throws {
        let world = try TestWorld("iso87-ascii") { $0.messages[.void] = nil }
        #expect(await world.connect() == nil)
        await #expect(throws: HostFailure.notSent(.noMessage(.void))) {
            try await world.link.send(world.sale(1), as: .void)
        }
        var wrong = world.sale(2)
        wrong.set(49, "97812")
        let message = wrong
        do throws(HostFailure) {
            _ = try await world.link.send(message, as: .sale)
            Issue.record("sent")
        } catch {
            guard case .notSent(.message) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
