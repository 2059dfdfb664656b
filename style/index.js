import './base.css';
import './bar.css';
import './gauge.css';
import './popup.css';
import './card.css';
import './cells.css';
