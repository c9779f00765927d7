/** One message to one person; `text` and `html` say the same. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailSender {
  /** Resolves when the next hop took it. */
  send(letter: Letter): Promise<void>;
  close(): void;
}
