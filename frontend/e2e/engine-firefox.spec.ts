import { drive } from './engines/drive'
import { firefox } from './engines/firefox'

drive(firefox)
