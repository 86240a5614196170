import Determinism
import Doctor
import FoundationEssentials
import PCSC
import Printing
import Settings
import Storage
import TillConfiguration
import USB

/// The checks of `cardpresent doctor` with their inputs.
struct Examination: Sendable {
    let doctor: Doctor
    let repairer: Repairer

    /// - Parameters:
    ///   - root: The root directory of the system; empty for this machine.
    ///   - options: The configuration file and the database.
    init(root: String, _ options: TillOptions) {
        let environment = ProcessInfo.processInfo.environment
        let files = SystemFiles(root: root)
        let user = LoginUser.current(environment: environment)
        let time = SystemTimeSource()
        let (settings, configurationCheck) = Self.configuration(options.configuration)
        let quirks = settings.readerQuirks
        let isRunning = root.isEmpty
        var checks: [any Check] = [
            LibrariesCheck(usbVersion: LibUSBBus.libraryVersion, libraries: [.cups, .pcsc]),
            configurationCheck, Self.database(options.data), Self.clock(options.data, time),
            // Another system has other users.
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
            PrinterCheck(
                configured: settings.printer, server: server, printers: TillPrinters.service(settings, options.data)))
        doctor = Doctor(checks: checks)
        repairer = Repairer(files: files, runner: ProcessRunner(), isRoot: user.isRoot)
    }

    /// Returns the settings, or the defaults if the file is invalid, with the check that reports it.
    private static func configuration(_ options: ConfigurationOptions) -> (TillConfiguration, ConfigurationCheck) {
        guard let path = options.path() else { return (.standard, ConfigurationCheck(path: nil, fault: nil)) }
        do throws(SettingsError) {
            let settings = try TillConfiguration.load(path: path)
            return (settings, ConfigurationCheck(path: path, fault: ConfigurationFile.mistakes(path).first))
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
    /// The library for printing.
    static let cups = LibrariesCheck.Library(name: "libcups", package: "libcups2") { CUPSPrinterService.libraryFault() }

    /// The library for readers of pcscd.
    static let pcsc = LibrariesCheck.Library(name: "libpcsclite", package: "libpcsclite1") {
        do throws(PCSCError) {
            _ = try PCSCLibrary.load()
            return nil
        } catch {
            return error.description
        }
    }
}
