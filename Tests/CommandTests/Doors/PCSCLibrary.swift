import Glibc

/// libpcsclite's functions, opened at run time (PC/SC part 5; winscard.h).
struct PCSCLibrary {
    typealias Establish = @convention(c) (UInt, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeMutablePointer<Int>) -> Int
    typealias Release = @convention(c) (Int) -> Int
    typealias StatusChange = @convention(c) (Int, UInt, UnsafeMutableRawPointer, UInt) -> Int
    typealias Connect =
        @convention(c) (
            Int, UnsafePointer<CChar>, UInt, UInt, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt>
        ) -> Int
    typealias Disconnect = @convention(c) (Int, UInt) -> Int
    typealias Transmit =
        @convention(c) (
            Int, UnsafeRawPointer, UnsafePointer<UInt8>, UInt, UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>,
            UnsafeMutablePointer<UInt>
        ) -> Int

    let establish: Establish
    let release: Release
    let statusChange: StatusChange
    let connect: Connect
    let disconnect: Disconnect
    let transmit: Transmit

    init() throws {
        guard let library = dlopen("libpcsclite.so.1", RTLD_NOW) else {
            throw PCSCError(call: "libpcsclite is missing: apt-get install libpcsclite1", code: 0)
        }
        establish = try Self.function("SCardEstablishContext", library)
        release = try Self.function("SCardReleaseContext", library)
        statusChange = try Self.function("SCardGetStatusChange", library)
        connect = try Self.function("SCardConnect", library)
        disconnect = try Self.function("SCardDisconnect", library)
        transmit = try Self.function("SCardTransmit", library)
    }

    private static func function<Function>(_ name: String, _ library: UnsafeMutableRawPointer) throws -> Function {
        guard let address = dlsym(library, name) else { throw PCSCError(call: name, code: 0) }
        return unsafeBitCast(address, to: Function.self)
    }
}

struct PCSCError: Error { var call: String; var code: Int }
