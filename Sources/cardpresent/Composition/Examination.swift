internal import Determinism
internal import Doctor
internal import FoundationEssentials
internal import Hardware
internal import PCSC
internal import SettingsFile
internal import Storage
internal import USB

/// The checks of `cardpresent doctor`, with everything that they look at.
struct Examination: Sendable {
    let doctor: Doctor
    let repairer: Repairer

    /// - Parameters:
    ///   - root: where the system's file tree begins; empty for this machine's own.
    ///   - configuration: which configuration is in force.
    ///   - data: where the records are.
    init(root: String, configuration: ConfigurationOptions, data: DatabaseOptions) {
        let environment = ProcessInfo.processInfo.environment
        let files = SystemFiles(root: root)
        let user = LoginUser.current(environment: environment)
        let time = SystemTimeSource()
        let (settings, configurationCheck) = Self.configuration(configuration)
        let quirks = settings.readerQuirks
        let isRunning = root.isEmpty
        var checks: [any Check] = [
            LibrariesCheck(usbVersion: LibUSBBus.libraryVersion, libraries: [.cups, .pcsc]),
            configurationCheck, Self.database(data), Self.clock(data, time),
            // The users of another system are not those of this one.
            USBCheck(root: root, isRunning: isRunning), RulesCheck(root: root, user: isRunning ? user : nil),
            GroupCheck(root: root, user: isRunning ? user : nil),
            ReaderCheck(root: root, quirks: quirks, firmware: settings.readerFirmware),
            PermissionCheck(root: root, quirks: quirks, user: user),
            OwnerCheck(root: root, quirks: quirks), PowerCheck(root: root, quirks: quirks),
        ]
        if isRunning {
            let bus = Result { () throws(USBError) -> any USBBus in try LibUSBBus(time: time) }
            checks.append(AnswerCheck(bus: bus, quirks: quirks, time: time))
        }
        let server = environment["CUPS_SERVER"]
        checks.append(
            PrinterCheck(configured: settings.printer, server: server) { () async throws(PrinterError) in
                try await CUPSPrinterService(time: time).printers()
            })
        doctor = Doctor(checks: checks)
        repairer = Repairer(files: files, runner: ProcessRunner(), isRoot: user.isRoot)
    }

    /// The settings in force, the standard ones where the file cannot be read, and the check that says so.
    private static func configuration(_ options: ConfigurationOptions) -> (TillConfiguration, ConfigurationCheck) {
        guard let path = options.path() else { return (.standard, ConfigurationCheck(path: nil, fault: nil)) }
        do throws(SettingsError) {
            return (try TillConfiguration.load(path: path), ConfigurationCheck(path: path, fault: nil))
        } catch {
            return (.standard, ConfigurationCheck(path: path, fault: error))
        }
    }

    private static func database(_ data: DatabaseOptions) -> DatabaseCheck {
        do throws(CommandFailure) {
            let path = try data.path()
            return DatabaseCheck { () throws(StorageError) in try DatabaseInspection(of: path) }
        } catch {
            return DatabaseCheck(fault: error.message)
        }
    }

    private static func clock(_ data: DatabaseOptions, _ time: any TimeSource) -> ClockCheck {
        let files = SystemFiles()
        let records = (try? data.path()).flatMap { path in files.status(path).map { (path, $0.modified) } }
        return ClockCheck(
            time: time, state: .ofKernel(), built: files.status("/proc/self/exe")?.modified,
            dated: records.map { [$0] } ?? [])
    }
}

extension LibrariesCheck.Library {
    /// What printing needs.
    static let cups = LibrariesCheck.Library(name: "libcups", package: "libcups2") { CUPSPrinterService.libraryFault() }

    /// What readers through pcscd need.
    static let pcsc = LibrariesCheck.Library(name: "libpcsclite", package: "libpcsclite1") {
        do throws(PCSCError) {
            _ = try PCSCLibrary.load()
            return nil
        } catch {
            return error.description
        }
    }
}
