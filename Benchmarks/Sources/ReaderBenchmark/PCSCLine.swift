import Glibc

/// The card through pcscd, as in a C program: calls libpcsclite's functions directly, one after the other, on one
/// thread, without code of this project (winscard.h; PC/SC part 5).
final class PCSCLine: CardLine {
    private typealias Establish =
        @convention(c) (UInt, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeMutablePointer<Int>) -> Int
    private typealias ListReaders =
        @convention(c) (Int, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<UInt>) -> Int
    private typealias Connect =
        @convention(c) (
            Int, UnsafePointer<CChar>, UInt, UInt, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt>
        ) -> Int
    private typealias Transmit =
        @convention(c) (
            Int, UnsafeRawPointer, UnsafePointer<UInt8>, UInt, UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>,
            UnsafeMutablePointer<UInt>
        ) -> Int
    private typealias Disconnect = @convention(c) (Int, UInt) -> Int
    private typealias Release = @convention(c) (Int) -> Int

    private let daemon: Int32
    private let transmit: Transmit
    private let disconnect: Disconnect
    private let release: Release
    private var context = 0
    private var card = 0
    /// 1 for T=0, 2 for T=1.
    private var activeProtocol: UInt = 0
    private var answer = [UInt8](repeating: 0, count: 300)

    /// The card in the first reader that has one, within ten seconds.
    init(daemon: Int32) throws {
        self.daemon = daemon
        guard let library = dlopen("libpcsclite.so.1", RTLD_NOW) else {
            throw ReaderBenchmarkError("libpcsclite.so.1 is missing")
        }
        func function<Function>(_ name: String) throws -> Function {
            guard let address = dlsym(library, name) else { throw ReaderBenchmarkError("\(name) is missing") }
            return unsafeBitCast(address, to: Function.self)
        }
        let establish: Establish = try function("SCardEstablishContext")
        let listReaders: ListReaders = try function("SCardListReaders")
        let connect: Connect = try function("SCardConnect")
        transmit = try function("SCardTransmit")
        disconnect = try function("SCardDisconnect")
        release = try function("SCardReleaseContext")

        var code = -1
        for _ in 0..<100 where code != 0 {
            // SCARD_SCOPE_SYSTEM; then SCARD_SHARE_EXCLUSIVE and either protocol.
            if context == 0 { code = establish(2, nil, nil, &context) }
            var names = [CChar](repeating: 0, count: 2048)
            var length = UInt(names.count)
            if context != 0 { code = listReaders(context, nil, &names, &length) }
            if code == 0 {
                var chosen: UInt = 0
                code = connect(context, names, 1, 3, &card, &chosen)
                activeProtocol = chosen
            }
            if code != 0 { usleep(100_000) }
        }
        guard code == 0 else { throw ReaderBenchmarkError("pcscd gives no card: \(String(code, radix: 16))") }
    }

    func transmit(_ command: [UInt8]) throws -> [UInt8] {
        // SCARD_IO_REQUEST: the protocol and its own size.
        let request: (UInt, UInt) = (activeProtocol, 16)
        var length = UInt(answer.count)
        let code = withUnsafePointer(to: request) {
            transmit(card, $0, command, UInt(command.count), nil, &answer, &length)
        }
        guard code == 0 else { throw ReaderBenchmarkError("SCardTransmit: \(String(code, radix: 16))") }
        return Array(answer.prefix(Int(length)))
    }

    /// The processor time of this program and of the daemon.
    func processorSeconds() throws -> Double { Processor.seconds + (try Processor.seconds(of: daemon)) }

    func close() {
        // SCARD_UNPOWER_CARD
        _ = disconnect(card, 2)
        _ = release(context)
    }
}
