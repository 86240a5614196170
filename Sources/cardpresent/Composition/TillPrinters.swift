internal import Determinism
internal import Files
internal import Hardware
internal import Yosemite

/// The printers of this till, put together from the configuration, what was chosen, and the print server.
enum TillPrinters {
    /// What was chosen with `printers default` stands beside the records; where that cannot be read, it is told, and
    /// nothing was chosen.
    static func service(_ settings: TillConfiguration, _ data: DatabaseOptions) -> Printers {
        var chosen: String?
        do throws(CommandFailure) { chosen = try self.chosen(data) } catch {
            StandardError.write("cardpresent: which printer is the default is not known: \(error.message)\n")
        }
        return Printers(settings.printers, defaultName: settings.printer ?? chosen, time: SystemTimeSource())
    }

    /// The printer that was chosen; nil when none was.
    ///
    /// - Throws: `CommandFailure`
    static func chosen(_ data: DatabaseOptions) throws(CommandFailure) -> String? {
        let file = AppSettingsFile(path: try data.path() + ".settings")
        do throws(FileStorageError) { return try file.defaultPrinter() } catch { throw CommandFailure(error) }
    }

    /// Chooses a printer; nil takes the choice back.
    ///
    /// - Throws: `CommandFailure`
    static func choose(_ name: String?, _ data: DatabaseOptions) throws(CommandFailure) {
        let file = AppSettingsFile(path: try data.path() + ".settings")
        do throws(FileStorageError) { try file.setDefaultPrinter(name) } catch { throw CommandFailure(error) }
    }
}
