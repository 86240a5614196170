public import EntryPoint
public import Payments

/// The messages of contactless readers in the cardholder's language, by their identifiers (EMV Contactless Book A
/// §7.1).
public struct MessageWords: Sendable {
    /// Asks for a card at a reader with a slot and a field.
    public let insertOrTap: String
    private let approved, declined, enterPIN, processingError, remove, welcome, present, processing: String
    private let cardRead, insertOrSwipe, oneCard, sign, authorizing, anotherCard, insert, seePhone, again: String

    /// Returns the text of a message; nil for one without a text, and for an identifier that no book names.
    public func text(_ message: MessageIdentifier) -> String? {
        switch message {
        case .approved: approved
        case .notAuthorized: declined
        case .enterPIN: enterPIN
        case .processingError: processingError
        case .removeCard: remove
        case .welcome: welcome
        case .presentCard: present
        case .processing: processing
        case .cardRead: cardRead
        case .insertOrSwipeCard: insertOrSwipe
        case .presentOneCardOnly: oneCard
        case .approvedPleaseSign: sign
        case .authorizing: authorizing
        case .useAnotherCard: anotherCard
        case .insertCard: insert
        case .seePhone: seePhone
        case .presentCardAgain: again
        default: nil
        }
    }

    private init(
        _ insertOrTap: String, present: (card: String, again: String, one: String, insert: String, other: String),
        reading: (processing: String, read: String, remove: String, error: String, phone: String),
        host: (authorizing: String, approved: String, sign: String, declined: String), enterPIN: String,
        insertOrSwipe: String, welcome: String
    ) {
        (self.insertOrTap, self.enterPIN, self.insertOrSwipe, self.welcome) = (
            insertOrTap, enterPIN, insertOrSwipe, welcome
        )
        (self.present, again, oneCard, insert, anotherCard) = present
        (processing, cardRead, remove, processingError, seePhone) = reading
        (authorizing, approved, sign, declined) = host
    }

    /// The messages in a language.
    public init(_ language: ReceiptLanguage) {
        switch language {
        case .english:
            self.init(
                "Insert or tap the card …",
                present: (
                    "Tap the card …", "Tap the card again …", "Present one card only.", "Insert the card.",
                    "Insert the card, or use another one."
                ),
                reading: (
                    "Reading the card …", "The card was read. You may take it away.", "Remove the card.",
                    "The card could not be read.", "Follow the instructions on your phone."
                ),
                host: (
                    "Contacting the issuer …", "Payment approved.", "Payment approved. Please sign.",
                    "Payment declined."
                ),
                enterPIN: "Enter the PIN …", insertOrSwipe: "Insert or swipe the card.", welcome: "Welcome.")
        case .spanish:
            self.init(
                "Inserte o acerque la tarjeta …",
                present: (
                    "Acerque la tarjeta …", "Acerque la tarjeta otra vez …", "Presente una sola tarjeta.",
                    "Inserte la tarjeta.", "Inserte la tarjeta o use otra."
                ),
                reading: (
                    "Leyendo la tarjeta …", "Tarjeta leída. Puede retirarla.", "Retire la tarjeta.",
                    "No se pudo leer la tarjeta.", "Siga las instrucciones del teléfono."
                ),
                host: (
                    "Consultando al emisor …", "Pago aprobado.", "Pago aprobado. Firme, por favor.",
                    "Pago rechazado."
                ),
                enterPIN: "Introduzca el PIN …", insertOrSwipe: "Inserte o deslice la tarjeta.",
                welcome: "Bienvenido.")
        case .french:
            self.init(
                "Insérez ou présentez la carte …",
                present: (
                    "Présentez la carte …", "Présentez la carte à nouveau …", "Présentez une seule carte.",
                    "Insérez la carte.", "Insérez la carte ou prenez-en une autre."
                ),
                reading: (
                    "Lecture de la carte …", "Carte lue. Vous pouvez la retirer.", "Retirez la carte.",
                    "La carte n'a pas pu être lue.", "Suivez les instructions de votre téléphone."
                ),
                host: (
                    "Appel de l'émetteur …", "Paiement accepté.", "Paiement accepté. Signez, s'il vous plaît.",
                    "Paiement refusé."
                ),
                enterPIN: "Tapez votre code …", insertOrSwipe: "Insérez ou glissez la carte.", welcome: "Bienvenue.")
        case .german:
            self.init(
                "Karte einstecken oder vorhalten …",
                present: (
                    "Karte vorhalten …", "Karte noch einmal vorhalten …", "Nur eine Karte vorhalten.",
                    "Karte einstecken.", "Karte einstecken oder eine andere nehmen."
                ),
                reading: (
                    "Die Karte wird gelesen …", "Karte gelesen. Sie können sie wegnehmen.", "Karte entnehmen.",
                    "Die Karte konnte nicht gelesen werden.", "Bitte den Anweisungen auf dem Telefon folgen."
                ),
                host: (
                    "Anfrage beim Herausgeber der Karte …", "Zahlung genehmigt.",
                    "Zahlung genehmigt. Bitte unterschreiben.", "Zahlung abgelehnt."
                ),
                enterPIN: "PIN eingeben …", insertOrSwipe: "Karte einstecken oder durchziehen.",
                welcome: "Willkommen.")
        case .italian:
            self.init(
                "Inserire o avvicinare la carta …",
                present: (
                    "Avvicinare la carta …", "Avvicinare di nuovo la carta …", "Presentare una sola carta.",
                    "Inserire la carta.", "Inserire la carta o usarne un'altra."
                ),
                reading: (
                    "Lettura della carta …", "Carta letta. Si può togliere.", "Togliere la carta.",
                    "Impossibile leggere la carta.", "Seguire le istruzioni sul telefono."
                ),
                host: (
                    "Richiesta all'emittente …", "Pagamento approvato.", "Pagamento approvato. Firmare, prego.",
                    "Pagamento rifiutato."
                ),
                enterPIN: "Digitare il PIN …", insertOrSwipe: "Inserire o strisciare la carta.",
                welcome: "Benvenuto.")
        case .portuguese:
            self.init(
                "Insira ou aproxime o cartão …",
                present: (
                    "Aproxime o cartão …", "Aproxime o cartão outra vez …", "Apresente um só cartão.",
                    "Insira o cartão.", "Insira o cartão ou use outro."
                ),
                reading: (
                    "A ler o cartão …", "Cartão lido. Pode retirá-lo.", "Retire o cartão.",
                    "Não foi possível ler o cartão.", "Siga as instruções no telemóvel."
                ),
                host: (
                    "A contactar o emissor …", "Pagamento aprovado.", "Pagamento aprovado. Assine, por favor.",
                    "Pagamento recusado."
                ),
                enterPIN: "Introduza o PIN …", insertOrSwipe: "Insira ou passe o cartão.", welcome: "Bem-vindo.")
        case .japanese:
            self.init(
                "カードを挿入またはタッチしてください…",
                present: (
                    "カードをタッチしてください…", "もう一度タッチしてください…", "カードは1枚だけにしてください。", "カードを挿入してください。",
                    "カードを挿入するか、別のカードをお使いください。"
                ),
                reading: (
                    "カードを読み取っています…", "読み取りました。カードを離してください。", "カードをお取りください。", "カードを読み取れませんでした。",
                    "スマートフォンの案内に従ってください。"
                ),
                host: (
                    "カード会社に照会しています…", "お支払いが承認されました。", "承認されました。ご署名ください。", "お支払いは承認されませんでした。"
                ),
                enterPIN: "暗証番号を入力してください…", insertOrSwipe: "カードを挿入またはスライドしてください。", welcome: "いらっしゃいませ。")
        case .arabic:
            self.init(
                "أدخل البطاقة أو قرّبها …",
                present: (
                    "قرّب البطاقة …", "قرّب البطاقة مرة أخرى …", "قدّم بطاقة واحدة فقط.", "أدخل البطاقة.",
                    "أدخل البطاقة أو استعمل بطاقة أخرى."
                ),
                reading: (
                    "تجري قراءة البطاقة …", "قُرئت البطاقة. يمكنك إبعادها.", "اسحب البطاقة.", "تعذرت قراءة البطاقة.",
                    "اتبع التعليمات على هاتفك."
                ),
                host: ("يجري الاتصال بمصدر البطاقة …", "قُبلت العملية.", "قُبلت العملية. وقّع من فضلك.", "رُفضت العملية."),
                enterPIN: "أدخل الرقم السري …", insertOrSwipe: "أدخل البطاقة أو مررها.", welcome: "مرحبًا.")
        }
    }
}
