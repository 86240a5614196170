import Determinism
import Foundation
import Hardware
import Synchronization
import Testing

@Suite("Printing through CUPS")
struct CUPSPrintingTests {
    private let document = PrintDocument.text("SALE APPROVED\n12.50 USD\n", title: "P000001")

    @Test(.timeLimit(.minutes(5)))
    func `a receipt arrives at an IPP Everywhere printer, and an unknown queue is told from those there are`()
        async throws
    {
        try await PrintServer.running { server in
            let service = CUPSPrinterService(server: server.socket, time: SystemTimeSource())
            #expect(try await service.printers().map(\.name).contains("receipts"))
            let job = try await service.submit(document, to: "receipts")
            let states = Mutex<[PrintJob.State]>([])
            let ended = try await service.follow(job) { job in states.withLock { $0.append(job.state) } }
            #expect(ended.id == job.id)
            #expect(ended.state == .completed)
            #expect(states.withLock { $0.last } == .completed)
            let printed = try #require(try await server.printed(1).first)
            #expect(printed.prefix(5) == Data("%PDF-".utf8))

            let error = await #expect(throws: PrinterError.self) {
                try await service.submit(document, to: "nowhere")
            }
            guard case .printerNotFound("nowhere", let available) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(available.contains("receipts"))
        }
    }

    @Test func `a server that is not there is an error that says how to start it`() async {
        let service = CUPSPrinterService(server: "/nonexistent/cups.sock", time: SystemTimeSource())
        let error = await #expect(throws: PrinterError.self) { try await service.printers() }
        guard case .serverUnavailable("/nonexistent/cups.sock", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("start cupsd") == true)
    }
}
